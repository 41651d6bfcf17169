import { Module } from '@nestjs/common';
import { ChangeMembershipHandler } from './membership.command';
import { MembershipController } from './membership.controller';
import { MembershipQuery } from './membership.query';

/** Membership edges. */
@Module({ controllers: [MembershipController], providers: [MembershipQuery, ChangeMembershipHandler] })
export class MembershipModule {}
