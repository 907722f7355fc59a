/** The protocol between the members of a MySQL cluster: requests and responses of one line. */
import type { MemberState } from './election.ts'
import { withDeadline } from './with-deadline.ts'
import type { XenonHost } from './xenon-host.ts'

export const XENON_PORT = 8801

const TIMEOUT_MS = 1_000

/** Rejects if no response arrives in time. */
export const requestMember = (
  { time, requestLine }: Pick<XenonHost, 'time' | 'requestLine'>,
  host: string,
  port: number,
  request: string,
): Promise<string> =>
  withDeadline(time, TIMEOUT_MS, `${host}:${port} did not answer`, (signal) =>
    requestLine(host, port, request, signal),
  )

/** Returns undefined if the member does not answer. */
export const fetchMemberState = async (
  xenonHost: Pick<XenonHost, 'time' | 'requestLine'>,
  host: string,
  port: number,
): Promise<MemberState | undefined> => {
  try {
    return JSON.parse(await requestMember(xenonHost, host, port, 'state')) as MemberState
  } catch {
    return undefined
  }
}
