/** Shows the progress of a run: a line for each finished episode, and on a terminal the current stage of each running one. */
import { createRealClock, type Timer } from '#kit'
import type { PlannedEpisode, RunProgress, RunStart } from '#lab/runs'
import { escapeInvisible, quoteUntrusted } from '#lab/text'
import type { Failure } from '#lab/workers'
import { createApprovalPrompt } from './approval-prompt.ts'
import { createEpisodeCounts, toElapsed } from './episode-counts.ts'
import { createScreenFooter } from './screen-footer.ts'

export interface RunView {
  onStart(start: RunStart): void
  onEpisode(progress: RunProgress): void
  onStage(planned: PlannedEpisode, text: string): void
  onFailure(planned: PlannedEpisode, failure: Failure): void
  onQuestion(planned: PlannedEpisode, text: string): Promise<boolean>
  end(): void
}

const REDRAW_MS = 500
const COLOURS = { resolved: 32, unresolved: 31, void: 33 } as const
const RESET_STYLE = '\x1b[0m'

const isLive = (): boolean =>
  process.stderr.isTTY === true && process.env.TERM !== 'dumb' && process.env.CI === undefined

const hasColours = (): boolean => isLive() && (process.env.NO_COLOR ?? '') === ''

const paint = (text: string, colour: number): string =>
  hasColours() ? `\x1b[${colour}m${text}${RESET_STYLE}` : text

/** Reasons and stages can contain text from agents, their programs and clusters. */
const toSafeLine = (text: string): string => escapeInvisible(text.replaceAll(/[\r\n]+/g, ' '))

const resultLine = ({ finished, planned, result }: RunProgress): string => {
  const { outcome, problem, contender, stages, tries, blame, reason, epoch } = result
  const width = String(planned).length
  const time = stages.total === undefined ? '' : `  ${(stages.total / 1000).toFixed(1)} s`
  const notes = [epoch > 1 ? `epoch ${epoch}` : '', tries > 1 ? `try ${tries}` : ''].filter(Boolean)
  const note = notes.length === 0 ? '' : `  (${notes.join(', ')})`
  const reasonText = outcome === 'resolved' ? '' : `  ${blame ?? ''}: ${reason}`
  const mark = paint(outcome.padEnd(10), COLOURS[outcome])
  const text = toSafeLine(`${contender}  ${problem}${time}${note}${reasonText}`)
  return `${String(finished).padStart(width)}/${planned}  ${mark}  ${text}`
}

const failureLine = ({ problem }: PlannedEpisode, { blame, message }: Failure): string =>
  toSafeLine(
    blame === 'operator'
      ? `stopped at ${problem.id}: ${message}`
      : `retrying ${problem.id}: the ${blame} failed: ${message}`,
  )

/** The activity comes first: problem IDs are long, and a terminal cuts the end of the line. */
const stageLine = ({ contender, problem }: PlannedEpisode, stage: string): string =>
  toSafeLine(stage.includes(problem.id) ? stage : `${stage}  ·  ${contender.name} at ${problem.id}`)

const screen = {
  /** Read each time: a process in the background gets no signal when the window is resized. */
  get columns() {
    return process.stderr.getWindowSize()[0]
  },
  write: (text: string) => process.stderr.write(text),
}

/** Resets the style first: an earlier escape sequence may have hidden text. */
const toQuestion = ({ contender }: PlannedEpisode, text: string): string => {
  const action = quoteUntrusted(text, process.stderr.columns ?? 80)
  return `${isLive() ? RESET_STYLE : ''}${contender.name} asks for approval:\n${action}\nApprove? [y/N] `
}

const createLiveView = (): RunView => {
  const clock = createRealClock()
  const footer = createScreenFooter(screen)
  const counts = createEpisodeCounts(() => clock.now())
  const running = new Map<string, { text: string; since: number }>()
  const prompt = createApprovalPrompt()
  let openQuestions = 0
  let timer: Timer | undefined
  const draw = (): void => {
    if (openQuestions > 0) return
    const lines = [...running.values()].map(
      ({ text, since }) => `  ${toElapsed(clock.now() - since).padStart(5)}  ${text}`,
    )
    footer.draw(['', ...lines, counts.toLine()])
  }
  const tick = (): void => {
    draw()
    timer = clock.after(REDRAW_MS, tick)
  }
  process.stderr.on('resize', draw)
  return {
    onStart(start) {
      counts.start(start)
      tick()
    },
    onEpisode(progress) {
      running.delete(progress.result.episode)
      counts.add(progress)
      footer.print(resultLine(progress))
    },
    onStage(planned, stage) {
      const { episode } = planned
      const text = stageLine(planned, stage)
      const current = running.get(episode)
      running.set(episode, { text, since: current?.text === text ? current.since : clock.now() })
    },
    onFailure(planned, failure) {
      running.delete(planned.episode)
      footer.print(failureLine(planned, failure))
    },
    async onQuestion(planned, text) {
      openQuestions += 1
      footer.clear()
      const isApproved = await prompt.ask(toQuestion(planned, text))
      openQuestions -= 1
      return isApproved
    },
    end() {
      timer?.cancel()
      prompt.end()
      process.stderr.off('resize', draw)
      footer.clear()
    },
  }
}

const createPlainView = (print: (line: string) => void): RunView => {
  const prompt = createApprovalPrompt()
  return {
    onStart({ finished, planned }) {
      print(
        `${planned} episodes${finished.length === 0 ? '' : `, ${finished.length} of them already finished`}`,
      )
    },
    onEpisode: (progress) => print(resultLine(progress)),
    onStage() {},
    onFailure: (planned, failure) => print(failureLine(planned, failure)),
    onQuestion: (planned, text) => prompt.ask(toQuestion(planned, text)),
    end: () => prompt.end(),
  }
}

export const createRunView = (print: (line: string) => void): RunView =>
  isLive() ? createLiveView() : createPlainView(print)
