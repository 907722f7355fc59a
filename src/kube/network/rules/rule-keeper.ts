/** Keeps the packet filter of a namespace as its parts say: all of a change at once, and bursts together. */
import type { Clock } from '../../../kit/index.ts'
import { type NetworkNamespace, runChecked } from '../../../linux/index.ts'
import { joinRulesets, type Ruleset } from './ruleset.ts'
import { rulesetScript } from './ruleset-script.ts'

export interface RuleKeeperOptions<Part extends string> {
  namespace: NetworkNamespace
  clock: Clock
  marker: Readonly<Record<string, string>>
  /** Each is asked again when it was said to have changed. */
  parts: Readonly<Record<Part, () => Ruleset>>
  /** Called when a change is in force. */
  onApplied(): void
  onError(where: string, error: unknown): void
}

export interface RuleKeeper<Part extends string> {
  /** Puts all parts in force for the first time. */
  start(): Promise<void>
  /** To be called inside the change: the work is done soon after. */
  changed(part: Part): void
  /** Resolves when everything that changed before is in force, or the keeper is closed. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** What changes within this time is done together. */
const BURST_MS = 2
const RETRY_MS = 250
const LONGEST_RETRY_MS = 8000

export const createRuleKeeper = <Part extends string>({
  namespace,
  clock,
  marker,
  parts,
  onApplied,
  onError,
}: RuleKeeperOptions<Part>): RuleKeeper<Part> => {
  const stale = new Set(Object.keys(parts) as Part[])
  const current = new Map<Part, Ruleset>()
  /** Unknown after a failure: then all is made anew. */
  let inForce: Ruleset | undefined
  let waiting: (() => void)[] = []
  let failures = 0
  let closed = false
  let planned = false
  let running: Promise<void> | undefined

  const apply = async (): Promise<void> => {
    for (const part of stale) current.set(part, parts[part]())
    stale.clear()
    const wanted = joinRulesets([...current.values()])
    const input = rulesetScript(inForce, wanted)
    if (input === '') return
    inForce = undefined
    await runChecked('nft', ['-f', '-'], { input, namespace, environment: marker })
    inForce = wanted
    onApplied()
  }

  const plan = (delay: number): void => {
    if (planned || closed || running !== undefined) return
    planned = true
    clock.after(delay, () => {
      planned = false
      running = run()
    })
  }

  const run = async (): Promise<void> => {
    if (closed) return
    const served = waiting
    waiting = []
    const began = clock.now()
    let rest = BURST_MS
    try {
      await apply()
      failures = 0
      for (const done of served) done()
      // Never more than half of the time: a storm of changes must leave the machine to others.
      rest = Math.max(BURST_MS, clock.now() - began)
    } catch (error) {
      waiting.unshift(...served)
      if (!closed) onError('network rules', error)
      rest = Math.min(RETRY_MS * 2 ** failures, LONGEST_RETRY_MS)
      failures += 1
    }
    running = undefined
    if (stale.size > 0 || waiting.length > 0 || inForce === undefined) plan(rest)
  }

  return {
    start: apply,
    changed(part) {
      stale.add(part)
      plan(BURST_MS)
    },
    settled: () =>
      new Promise((resolve) => {
        if (closed || (stale.size === 0 && running === undefined && inForce !== undefined)) resolve()
        else {
          waiting.push(resolve)
          plan(BURST_MS)
        }
      }),
    async close() {
      closed = true
      await running
      for (const done of waiting) done()
    },
  }
}
