import { Module } from '@nestjs/common';
import { CreateGroupHandler, DeleteGroupHandler } from './group.command';
import { GroupController } from './group.controller';
import { GroupQuery } from './group.query';

/** Groups. */
@Module({ controllers: [GroupController], providers: [GroupQuery, CreateGroupHandler, DeleteGroupHandler] })
export class GroupModule {}
