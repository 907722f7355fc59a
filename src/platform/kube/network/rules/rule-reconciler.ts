/** Applies rulesets to the packet filter of a namespace: atomically, and in batches. */
import type { Clock } from '#kit'
import { type NetworkNamespace, runChecked } from '#machine/linux'
import { joinRulesets, type Ruleset } from './ruleset.ts'
import { rulesetScript } from './ruleset-script.ts'

export interface RuleReconcilerOptions<Part extends string> {
  namespace: NetworkNamespace
  clock: Clock
  marker: Readonly<Record<string, string>>
  /** Compute the parts of the ruleset; `changed` schedules a recomputation. */
  parts: Readonly<Record<Part, () => Ruleset>>
  /** Called after each applied change. */
  onApplied(): void
  onError(source: string, error: unknown): void
}

export interface RuleReconciler<Part extends string> {
  /** Applies all parts for the first time. */
  start(): Promise<void>
  /** Schedules the recomputation of a part. */
  changed(part: Part): void
  /** Resolves when all earlier changes are applied, or the reconciler is closed. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** Changes within this time are applied together. */
const BATCH_MS = 2
const RETRY_MS = 250
const MAX_RETRY_MS = 8000

export const createRuleReconciler = <Part extends string>(
  options: RuleReconcilerOptions<Part>,
): RuleReconciler<Part> => {
  const { namespace, clock, marker, parts, onApplied, onError } = options
  const stale = new Set(Object.keys(parts) as Part[])
  const current = new Map<Part, Ruleset>()
  /** Undefined after a failure: the state is unknown and everything is recreated. */
  let appliedRules: Ruleset | undefined
  let waitingCallers: (() => void)[] = []
  let failures = 0
  let closed = false
  let isScheduled = false
  let running: Promise<void> | undefined

  const apply = async (): Promise<void> => {
    for (const part of stale) current.set(part, parts[part]())
    stale.clear()
    const desired = joinRulesets([...current.values()])
    const input = rulesetScript(appliedRules, desired)
    if (input === '') return
    appliedRules = undefined
    await runChecked('nft', ['-f', '-'], { input, namespace, environment: marker })
    appliedRules = desired
    onApplied()
  }

  const schedule = (delayMs: number): void => {
    if (isScheduled || closed || running !== undefined) return
    isScheduled = true
    clock.after(delayMs, () => {
      isScheduled = false
      running = run()
    })
  }

  const run = async (): Promise<void> => {
    if (closed) return
    const callers = waitingCallers
    waitingCallers = []
    const startedAt = clock.now()
    let delayMs = BATCH_MS
    try {
      await apply()
      failures = 0
      for (const done of callers) done()
      // Spends at most half of the time on changes, so that frequent changes do not occupy the machine.
      delayMs = Math.max(BATCH_MS, clock.now() - startedAt)
    } catch (error) {
      waitingCallers.unshift(...callers)
      if (!closed) onError('network rules', error)
      delayMs = Math.min(RETRY_MS * 2 ** failures, MAX_RETRY_MS)
      failures += 1
    }
    running = undefined
    if (stale.size > 0 || waitingCallers.length > 0 || appliedRules === undefined) schedule(delayMs)
  }

  return {
    start: apply,
    changed(part) {
      stale.add(part)
      schedule(BATCH_MS)
    },
    settled: () =>
      new Promise((resolve) => {
        if (closed || (stale.size === 0 && running === undefined && appliedRules !== undefined)) resolve()
        else {
          waitingCallers.push(resolve)
          schedule(BATCH_MS)
        }
      }),
    async close() {
      closed = true
      await running
      for (const done of waitingCallers) done()
    },
  }
}
