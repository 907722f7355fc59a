/** Records writes and streams in the audit log, whether they succeed or fail. */
import { ApiError, toMicroTime } from '#platform/kube/meta'
import { type ApiCall, isStream, MUTATING_VERBS } from '../request/api-call.ts'
import { targetOf } from '../request/target.ts'
import type { Audit, AuditEvent } from './audit.ts'

/** Receives the outcome of a call; at most one method is called, once. */
export interface CallRecord {
  answered(code: number): void
  failed(error: unknown): void
}

const UNRECORDED: CallRecord = { answered: () => {}, failed: () => {} }

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

/** The bodies of Secrets and token requests are never recorded. */
const isConfidential = ({ served, subresource }: ApiCall): boolean =>
  served.kind.id === 'secrets' || subresource === 'token'

/** Splits an impersonated user into the caller and the impersonated user. */
const usersOf = ({
  user: { impersonator, ...user },
}: ApiCall): Pick<AuditEvent, 'user' | 'impersonatedUser'> =>
  impersonator === undefined ? { user } : { user: impersonator, impersonatedUser: user }

/** Writes and streams are recorded: a stream can make changes with any HTTP method. */
const isRecorded = ({ verb, served, subresource }: ApiCall): boolean =>
  MUTATING_VERBS.has(verb) || isStream(served.group, served.kind.plural, subresource)

/** Starts the audit record of a call; reads are not recorded. */
export const auditCall = (audit: Audit, call: ApiCall, requestURI: string, received: number): CallRecord => {
  if (!isRecorded(call)) return UNRECORDED
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
