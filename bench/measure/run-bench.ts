/** Runs a benchmark as a program: parses its arguments, measures, prints the goals and records the results. */

import { type Program, type ProgramArguments, type ProgramOptions, readArguments } from './parse-program.ts'
import { type Goal, printGoals } from './print-goals.ts'
import { isTreeChanged, writeResult } from './result.ts'

export interface Bench<O extends ProgramOptions> extends Pick<Program<O>, 'about' | 'options' | 'operands'> {
  readonly name: string
  measure(args: ProgramArguments<O>): Promise<readonly Goal[]>
  /** Describes how the measurement was made, for the caption of its table. */
  conditions?(args: ProgramArguments<O>): string
}

export const runBench = async <const O extends ProgramOptions>(bench: Bench<O>): Promise<void> => {
  const { name, measure, conditions, ...program } = bench
  const args = readArguments<O>({
    ...program,
    command: `npm run bench ${name}`,
    flags: { record: `also writes the results to bench/results/${name}.json, which "npm run figures" reads` },
  })
  const isRecorded = args.flags.has('record')
  if (isRecorded && args.isQuick) {
    console.error('--record needs a full measurement: leave out --quick.')
    process.exitCode = 2
    return
  }
  if (isRecorded && isTreeChanged()) {
    console.error('--record names the commit that was measured: commit the changes of tracked files first.')
    process.exitCode = 2
    return
  }
  const goals = await measure(args)
  process.exitCode = printGoals(goals, args)
  if (isRecorded) writeResult(name, goals, conditions?.(args))
}
