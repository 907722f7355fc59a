/** Runs a playbook in process, with the outcomes that ansible-playbook would have. */
import { defined } from '#kit'
import { createTaskResults, usesFacts } from '#platform/playbook'
import { AnsibleError, messageOf, PlaybookAborted, type PlaybookText } from './load/ansible-error.ts'
import { loadPlaybook } from './load/load-playbook.ts'
import type { Play } from './load/playbook-tree.ts'
import { createPrintedOutput, type PrintedOutput } from './output/printed-output.ts'
import type { InterpretedReport, InterpreterAttempt, InterpreterOptions } from './ports.ts'
import { asBoolean } from './run/convert-field.ts'
import { createHostState, DEFAULT_PATH, templarFor } from './run/host-state.ts'
import { HOST, matchHosts } from './run/match-hosts.ts'
import { AttemptStopped, createPace, PACE, type Pace } from './run/pace.ts'
import { createPlayStats } from './run/play-stats.ts'
import { runPlay } from './run/run-play.ts'
import { UnsupportedPlaybook } from './unsupported-playbook.ts'

type Ending = Pick<InterpretedReport, 'outcome' | 'unsupported'> & { readonly killed?: string }

interface Run {
  readonly options: InterpreterOptions
  readonly text: PlaybookText
  readonly output: PrintedOutput
  readonly pace: Pace
  readonly usesFacts: boolean
  readonly report: (result: Parameters<NonNullable<InterpreterAttempt['onTask']>>[0]) => void
}

/** By default, a play gathers facts only if the playbook uses one. */
const gathersFacts = (play: Play, isFactUsed: boolean): boolean => {
  const { gatherFacts } = play
  if (gatherFacts === undefined || gatherFacts === null) return isFactUsed
  if (typeof gatherFacts === 'string' && gatherFacts.includes('{{'))
    throw new UnsupportedPlaybook('gather_facts as an expression')
  return asBoolean(gatherFacts) === true
}

const runPlays = async (run: Run, plays: readonly Play[]): Promise<boolean> => {
  const { options, text, output, pace } = run
  const state = createHostState(HOST)
  const stats = createPlayStats()
  let hasRun = false
  let hasFailed = false
  for (const written of plays) {
    const play = { ...written, name: String(templarFor(options, state, written).render(written.name)) }
    const { isMatched, unmatched } = matchHosts(play.hosts, options.groups ?? [])
    for (const pattern of unmatched)
      output.warning(`Could not match supplied host pattern, ignoring: ${pattern}`)
    output.play(play.name)
    if (!isMatched) {
      output.noHosts()
      continue
    }
    hasRun = true
    state.notified.clear()
    hasFailed = await runPlay({
      options,
      play,
      state,
      stats,
      output,
      pace,
      text,
      gathersFacts: gathersFacts(play, run.usesFacts),
      report: run.report,
    })
    if (hasFailed) break
  }
  await pace.sleep(PACE.endMs)
  if (hasRun && Object.values(stats).some((count) => count > 0)) output.recap(HOST, stats)
  else output.emptyRecap()
  return !hasFailed
}

const runToEnd = async (run: Run): Promise<Ending> => {
  const { text, output, pace } = run
  try {
    await pace.sleep(PACE.startMs)
    const plays = loadPlaybook(text.lines.join('\n'), text.path)
    return { outcome: (await runPlays(run, plays)) ? 'ok' : 'failed' }
  } catch (error) {
    if (error instanceof UnsupportedPlaybook) return { outcome: 'unsupported', unsupported: error.message }
    if (error instanceof AttemptStopped) return { outcome: 'failed', killed: error.message }
    if (error instanceof AnsibleError) output.line(`ERROR! ${messageOf(error, text)}`)
    else if (error instanceof PlaybookAborted) output.line(`ERROR! ${error.message}`)
    else throw error
    return { outcome: 'failed' }
  }
}

/** Rejects only for defects of the interpreter or of the cluster, never because of the playbook. */
export const interpretPlaybook = async (
  playbook: string,
  options: InterpreterOptions,
  { signal, onTask }: InterpreterAttempt = {},
): Promise<InterpretedReport> => {
  const startedAt = options.clock.now()
  const output = createPrintedOutput()
  const results = createTaskResults(onTask)
  const pace = createPace(options.clock, { timeoutMs: options.timeoutMs, signal })
  const run: Run = {
    options,
    text: { path: options.path ?? DEFAULT_PATH, lines: playbook.split('\n') },
    output,
    pace,
    usesFacts: usesFacts(playbook),
    report: (result) => results.add(result),
  }
  const { outcome, unsupported, killed } = await runToEnd(run).finally(() => pace.close())
  return {
    ok: outcome === 'ok',
    outcome,
    ...defined({ unsupported }),
    isRefused: false,
    findings: [],
    tasks: results.end(),
    output: killed === undefined ? output.text() : `${output.text()}\nkilled: ${killed}\n`,
    milliseconds: Math.round(options.clock.now() - startedAt),
  }
}
