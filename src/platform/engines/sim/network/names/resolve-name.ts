/** Resolves a name as the C library does: hosts file, search domains, then the name itself. */
import { isIPv4 } from 'node:net'
import { MAX_PARALLEL_LOOKUPS } from '../constants.ts'
import type { Process } from '../model/endpoint.ts'
import { lookupError } from '../network-error.ts'
import { type AskOptions, askServers, type Outcome } from './ask-servers.ts'

/** Calls the reply with addresses, or with the code of an error. */
type Reply = (result: readonly string[] | 'ENOTFOUND' | 'EAI_AGAIN') => void

/** The names to query, in order. */
const candidatesOf = ({ settings: { searches, ndots } }: AskOptions, name: string): readonly string[] => {
  if (name.endsWith('.')) return [name.slice(0, -1)]
  const inDomains = searches.map((domain) => `${name}.${domain}`)
  const dots = name.split('.').length - 1
  return dots >= ndots ? [name, ...inDomains] : [...inDomains, name]
}

const isAddresses = (outcome: Outcome): outcome is readonly string[] => typeof outcome !== 'string'

const resolveByDns = (options: AskOptions, name: string, reply: Reply): void => {
  const candidates = candidatesOf(options, name)
  let mayExist = false

  /** Without an answer, the other search domains are skipped, but not the name itself. */
  const nextAfter = (outcome: Outcome, index: number): number =>
    outcome === 'timeout' ? Math.max(index + 1, candidates.length - 1) : index + 1

  const ask = (index: number): void => {
    if (index >= candidates.length) {
      reply(mayExist ? 'EAI_AGAIN' : 'ENOTFOUND')
      return
    }
    askServers(options, candidates[index]!, (outcome) => {
      if (outcome === 'timeout' || outcome === 'server-failure') mayExist = true
      if (isAddresses(outcome) && outcome.length > 0) reply(outcome)
      else if (outcome === 'unreachable') reply('EAI_AGAIN')
      else ask(nextAfter(outcome, index))
    })
  }
  ask(0)
}

/** Runs the task when the program has a free thread for lookups; the task calls `done` at its end. */
const onThread = (process: Process, task: (done: () => void) => void): void => {
  const run = (): void => {
    process.lookups += 1
    task(() => {
      process.lookups -= 1
      process.waitingLookups.shift()?.()
    })
  }
  if (process.lookups < MAX_PARALLEL_LOOKUPS) run()
  else process.waitingLookups.push(run)
}

/** Returns the addresses if no query is necessary. */
export const resolveLocally = (
  { settings }: Pick<AskOptions, 'settings'>,
  name: string,
): readonly string[] | undefined => (isIPv4(name) ? [name] : settings.hosts.get(name.toLowerCase()))

/** Rejects with an error of code `ENOTFOUND` or `EAI_AGAIN`. Never settles if the program ends. */
export const resolveName = (options: AskOptions, name: string): Promise<readonly string[]> =>
  new Promise((resolve, reject) => {
    if (options.process.isEnded) return
    const local = resolveLocally(options, name)
    if (local !== undefined) {
      resolve(local)
      return
    }
    onThread(options.process, (done) =>
      resolveByDns(options, name, (result) => {
        done()
        if (typeof result === 'string') reject(lookupError(result, name))
        else resolve(result)
      }),
    )
  })
