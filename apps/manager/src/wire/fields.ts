import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateIf,
} from 'class-validator';

/** Longest text that a field takes, unless it says otherwise. */
const TEXT_LIMIT = 1024;

/** Neither NUL nor half a surrogate pair: PostgreSQL holds no NUL, and the log's canonical form no broken text. */
const STORABLE = /^[^\0\p{Cs}]*$/u;

const Storable = (each = false): PropertyDecorator =>
  Matches(STORABLE, { each, message: '$property must be well-formed text without NUL' });

// A field is validated and documented by one decorator. Absent and null optional fields are the same (api.md).

/** A required text. */
export const Text = (description: string, limit = TEXT_LIMIT): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: String, description, maxLength: limit }),
    IsString(),
    MaxLength(limit),
    Storable(),
  );

/** A text that may be absent or null. */
export const OptionalText = (description: string, limit = TEXT_LIMIT): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: String, description, nullable: true, maxLength: limit }),
    IsOptional(),
    IsString(),
    MaxLength(limit),
    Storable(),
  );

/** A required boolean. */
export const Flag = (description: string): PropertyDecorator =>
  applyDecorators(ApiProperty({ type: Boolean, description }), IsBoolean());

/** A boolean that may be absent or null. */
export const OptionalFlag = (description: string): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional({ type: Boolean, description, nullable: true }), IsOptional(), IsBoolean());

/** A whole number within bounds that may be absent or null. */
export const OptionalWhole = (description: string, min: number, max: number): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', description, nullable: true, minimum: min, maximum: max }),
    IsOptional(),
    IsInt(),
    Min(min),
    Max(max),
  );

/** A required whole number within bounds. */
export const Whole = (description: string, min: number, max: number): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: 'integer', description, minimum: min, maximum: max }),
    IsInt(),
    Min(min),
    Max(max),
  );

/** A list of texts that may be absent or null; an empty one is not the same. */
export const OptionalTexts = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: [String], description, nullable: true }),
    ValidateIf((_, value) => value !== null && value !== undefined),
    IsArray(),
    ArrayMaxSize(1000),
    IsString({ each: true }),
    MaxLength(TEXT_LIMIT, { each: true }),
    Storable(true),
  );

/** An object with free keys that may be absent or null. */
export const OptionalObject = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'object', additionalProperties: true, description, nullable: true }),
    IsOptional(),
    IsObject(),
  );
