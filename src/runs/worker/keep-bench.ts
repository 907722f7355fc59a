/** Keeps a bench for as long as jobs are about the same system, and the clock is that of the worker. */
import type { Prepared } from '../../episode/index.ts'
import { preciseNow } from '../../kit/index.ts'
import type { Fault, Problem } from '../../spec/index.ts'
import { createClockCheck } from './create-clock-check.ts'
import { type Bench, type BenchOptions, openBench } from './open-bench.ts'

/** Then the cluster has earned its rest: what its telemetry keeps grows. */
const MOST_PREPARATIONS = 120

export interface BenchWish {
  readonly problem: Problem
  readonly faults: ReadonlyMap<string, Fault>
  /** The folder in which the signals of every cluster are kept; nothing is kept where absent. */
  readonly telemetry?: string | undefined
  readonly signal: AbortSignal
  stage(text: string): void
}

/** A bench on which a problem can be prepared, and the milliseconds that it took to get it. */
export interface ReadyBench {
  readonly bench: Bench
  /** Until the cluster was there; 0 where it was already. */
  readonly provision: number
  /** Until what the episode before had left was gone. */
  readonly restore: number
}

export interface BenchKeeper {
  ready(wish: BenchWish): Promise<ReadyBench>
  /** What is to be restored before the next problem, and not at all where there is none on this bench. */
  leave(prepared: Prepared): void
  /** Leaves nothing behind, also of what is only being opened. */
  close(): Promise<void>
}

export interface BenchKeeperOptions {
  /** On the local engine where absent. */
  open?(options: BenchOptions): Promise<Bench>
  /** Throws where the clock was set since the worker began. */
  checkClock?(): void
}

interface KeptBench {
  readonly system: string
  readonly opening: Promise<Bench>
}

/** A problem is refused that was prepared while the clock was set: some of its users may have come by the new one. */
const withCheckedClock = (bench: Bench, checkClock: () => void): Bench => ({
  ...bench,
  lab: {
    ...bench.lab,
    async prepare(problem, options) {
      const prepared = await bench.lab.prepare(problem, options)
      checkClock()
      return prepared
    },
  },
})

export const createBenchKeeper = ({
  open = openBench,
  checkClock = createClockCheck(),
}: BenchKeeperOptions = {}): BenchKeeper => {
  let kept: KeptBench | undefined
  let left: Prepared | undefined
  let preparations = 0
  let closed: Promise<void> = Promise.resolve()

  const keep = (system: string, opening: Promise<Bench>): KeptBench => {
    const one = { system, opening }
    // One that could not be opened has left nothing.
    opening.catch(() => {
      if (kept === one) kept = undefined
    })
    return one
  }

  const close = (): Promise<void> => {
    const leaving = kept
    kept = undefined
    left = undefined
    preparations = 0
    const before = closed.catch(() => {})
    // Whoever closes last waits for all: then the process ends.
    closed = before.then(async () => {
      const bench = await leaving?.opening.catch(() => undefined)
      await bench?.close()
    })
    return closed
  }

  /** A system that does not come back is no failure of the episode that comes next. */
  const restore = async (stage: (text: string) => void): Promise<void> => {
    if (left === undefined) return
    const leaving = left
    left = undefined
    stage(`restoring ${leaving.problem.system}`)
    try {
      await leaving.restore()
    } catch {
      await close().catch(() => {})
    }
  }

  return {
    close,
    leave(prepared) {
      left = prepared
    },
    async ready({ problem, faults, telemetry, signal, stage }) {
      const { system, seed } = problem
      checkClock()
      if (kept !== undefined && (kept.system !== system || preparations >= MOST_PREPARATIONS)) await close()
      const began = preciseNow()
      await restore(stage)
      const restored = preciseNow()
      const isNew = kept === undefined
      // Nobody would close what is opened after the end.
      signal.throwIfAborted()
      kept ??= keep(system, open({ system, seed, faults, telemetry, signal, stage }))
      const bench = withCheckedClock(await kept.opening, checkClock)
      signal.throwIfAborted()
      preparations += 1
      const provision = isNew ? Math.round(preciseNow() - restored) : 0
      return { bench, provision, restore: Math.round(restored - began) }
    },
  }
}
