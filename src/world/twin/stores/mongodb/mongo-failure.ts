/** Errors of a MongoDB server with their codes. */
import type { Document } from './bson.ts'

const CODES = {
  InternalError: 1,
  BadValue: 2,
  UserNotFound: 11,
  Unauthorized: 13,
  TypeMismatch: 14,
  AuthenticationFailed: 18,
  NamespaceNotFound: 26,
  PathNotViable: 28,
  RoleNotFound: 31,
  CursorNotFound: 43,
  NamespaceExists: 48,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotBackfillArray: 155,
  FailedToParse: 9,
  OutOfDiskSpace: 14031,
  DuplicateKey: 11000,
  UserAlreadyExists: 51003,
} as const

export type MongoFailureName = keyof typeof CODES

export class MongoFailure extends Error {
  readonly codeName: MongoFailureName
  readonly details: Document

  constructor(codeName: MongoFailureName, message: string, details: Document = {}) {
    super(message)
    this.codeName = codeName
    this.details = details
  }

  get code(): number {
    return CODES[this.codeName]
  }

  /** The error of one statement in the reply to a write command. */
  toWriteError(index: number): Document {
    return { index, code: this.code, ...this.details, errmsg: this.message }
  }

  toReply(): Document {
    return { ok: 0, errmsg: this.message, code: this.code, codeName: this.codeName, ...this.details }
  }
}

/** Converts any error, including disk errors. */
export const toMongoFailure = (error: unknown): MongoFailure => {
  if (error instanceof MongoFailure) return error
  const { syscall, message } = error as NodeJS.ErrnoException
  if (syscall !== undefined)
    return new MongoFailure('OutOfDiskSpace', `cannot write to the journal: ${message}`)
  return new MongoFailure('BadValue', message)
}
