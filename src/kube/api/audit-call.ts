/** Writes one call into the audit record, whatever comes of it. */
import { ApiError, toMicroTime } from '../meta/index.ts'
import { type ApiCall, isStream, type Verb } from './api-call.ts'
import type { Audit, AuditEvent } from './audit.ts'
import { targetOf } from './target.ts'

const MUTATING: ReadonlySet<Verb> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

/** Told once, with what the call came to: an answer's code, or what was thrown. */
export interface CallRecord {
  answered(code: number): void
  failed(error: unknown): void
}

const SILENT: CallRecord = { answered: () => {}, failed: () => {} }

const objectRefOf = (call: ApiCall): AuditEvent['objectRef'] => {
  const { group, version, plural, subresource, namespace, name } = targetOf(call)
  return {
    resource: plural,
    ...(namespace === '' ? {} : { namespace }),
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { apiGroup: group }),
    apiVersion: version,
    ...(subresource === '' ? {} : { subresource }),
  }
}

/** What a secret holds, and the tokens of accounts, belong in no record. */
const isConfidential = ({ served, subresource }: ApiCall): boolean =>
  served.kind.id === 'secrets' || subresource === 'token'

/** Who asked, and as whom. */
const usersOf = ({
  user: { impersonator, ...user },
}: ApiCall): Pick<AuditEvent, 'user' | 'impersonatedUser'> =>
  impersonator === undefined ? { user } : { user: impersonator, impersonatedUser: user }

/** Reads change nothing; but a stream may, whatever the method that opened it. */
const isRecorded = ({ verb, served, subresource }: ApiCall): boolean =>
  MUTATING.has(verb) || isStream(served.group, served.kind.plural, subresource)

/** Begins the record of a call; reads are not recorded. */
export const auditCall = (audit: Audit, call: ApiCall, requestURI: string, received: number): CallRecord => {
  if (!isRecorded(call)) return SILENT
  const requestReceivedTimestamp = toMicroTime(received)
  const record = (responseStatus: AuditEvent['responseStatus']): void =>
    audit.record({
      requestURI,
      verb: call.verb,
      ...usersOf(call),
      userAgent: call.userAgent,
      objectRef: objectRefOf(call),
      responseStatus,
      ...(call.body === undefined || isConfidential(call) ? {} : { requestObject: call.body.value }),
      requestReceivedTimestamp,
    })
  return {
    answered: (code) => record({ code }),
    failed: (error) =>
      record(
        error instanceof ApiError
          ? { code: error.code, reason: error.reason, message: error.message }
          : { code: 500, reason: 'InternalError', message: String(error) },
      ),
  }
}
