/**
 * `xenoncli xenon ping` checks whether the xenon of this pod answers; `xenoncli raft status` prints its
 * state.
 */
import { exitWith } from './exit/exit-with.ts'
import { requestLine, XENON_PORT } from './xenon-raft/members.ts'

const REQUESTS: Readonly<Record<string, string>> = { 'xenon ping': 'ping', 'raft status': 'state' }

const run = async (): Promise<string> => {
  const words = process.argv.slice(2).join(' ')
  const request = REQUESTS[words]
  if (request === undefined) throw new Error(`unknown command "${words}" for "xenoncli"`)
  return requestLine('127.0.0.1', Number(process.env.XENON_PORT ?? XENON_PORT), request)
}

run().then(
  (answer) => exitWith(0, `${answer}\n`),
  (error: Error) => exitWith(1, '', `${error.message}\n`),
)
