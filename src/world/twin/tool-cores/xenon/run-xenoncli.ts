/** The program `xenoncli`, apart from how it connects. */
import type { ToolOutcome } from '../tool-outcome.ts'
import { requestMember, XENON_PORT } from './members.ts'
import type { XenonHost } from './xenon-host.ts'

const REQUESTS: Readonly<Record<string, string>> = { 'xenon ping': 'ping', 'raft status': 'state' }

/** `xenon ping` checks whether the xenon of this pod answers; `raft status` prints its state. */
export const runXenoncli = async (
  args: readonly string[],
  host: Pick<XenonHost, 'time' | 'requestLine' | 'environment'>,
): Promise<ToolOutcome> => {
  const words = args.join(' ')
  const request = REQUESTS[words]
  try {
    if (request === undefined) throw new Error(`unknown command "${words}" for "xenoncli"`)
    const port = Number(host.environment.XENON_PORT ?? XENON_PORT)
    return { code: 0, out: `${await requestMember(host, '127.0.0.1', port, request)}\n`, err: '' }
  } catch (error) {
    return { code: 1, out: '', err: `${(error as Error).message}\n` }
  }
}
