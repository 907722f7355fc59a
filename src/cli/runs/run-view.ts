/** What is shown of a run while it goes on: a line for each episode that has ended, and on a terminal what is done just now. */
import { createInterface, type Interface } from 'node:readline'
import { createRealClock, type Timer } from '../../kit/index.ts'
import type { Failure, PlannedEpisode, RunProgress } from '../../runs/index.ts'
import type { EpisodeResult } from '../../spec/index.ts'
import { escapeUnseen } from '../escape-unseen.ts'
import { readableText } from './readable-text.ts'
import { createScreenFoot } from './screen-foot.ts'

export interface RunView {
  onBegin(counts: { readonly finished: number; readonly planned: number }): void
  onEpisode(progress: RunProgress): void
  onStage(planned: PlannedEpisode, text: string): void
  onFailure(planned: PlannedEpisode, failure: Failure): void
  onQuestion(planned: PlannedEpisode, text: string): Promise<boolean>
  end(): void
}

const REDRAW_MS = 500
const COLOURS = { resolved: 32, unresolved: 31, void: 33 } as const

/** `1:02:03`, `2:03` */
export const toClock = (ms: number): string => {
  const total = Math.max(0, Math.round(ms / 1000))
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60]
  const two = (value: number): string => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`
}

const isLive = (): boolean =>
  process.stderr.isTTY === true && process.env.TERM !== 'dumb' && process.env.CI === undefined

const hasColours = (): boolean => isLive() && (process.env.NO_COLOR ?? '') === ''

const paint = (text: string, colour: number): string =>
  hasColours() ? `\x1b[${colour}m${text}\x1b[0m` : text

/** What agents, their programs and clusters have said may be in it. */
const oneLine = (text: string): string => escapeUnseen(text.replaceAll(/[\r\n]+/g, ' '))

const resultLine = ({ finished, planned, result }: RunProgress): string => {
  const { outcome, problem, contender, stages, tries, blame, reason, epoch } = result
  const width = String(planned).length
  const time = stages.total === undefined ? '' : `  ${(stages.total / 1000).toFixed(1)} s`
  const again = [epoch > 1 ? `epoch ${epoch}` : '', tries > 1 ? `try ${tries}` : ''].filter(Boolean)
  const more = again.length === 0 ? '' : `  (${again.join(', ')})`
  const why = outcome === 'resolved' ? '' : `  ${blame ?? ''}: ${reason}`
  const mark = paint(outcome.padEnd(10), COLOURS[outcome])
  const said = oneLine(`${contender}  ${problem}${time}${more}${why}`)
  return `${String(finished).padStart(width)}/${planned}  ${mark}  ${said}`
}

/** How many have ended since the beginning, and how they fared. */
const createCounts = (now: () => number) => {
  const began = now()
  const counts = { resolved: 0, unresolved: 0, void: 0 }
  let [finished, planned, before] = [0, 0, 0]
  return {
    begin(given: { finished: number; planned: number }) {
      ;({ finished, planned } = given)
      before = finished
    },
    add({ finished: done, result }: { finished: number; result: EpisodeResult }) {
      finished = done
      counts[result.outcome] += 1
    },
    line(): string {
      const judged = counts.resolved + counts.unresolved
      const elapsed = now() - began
      const left = planned - finished
      const share = judged === 0 ? '' : ` (${Math.round((100 * counts.resolved) / judged)} %)`
      const parts = [
        `${finished}/${planned}`,
        `${counts.resolved} resolved${share}`,
        ...(counts.void === 0 ? [] : [`${counts.void} void`]),
        toClock(elapsed),
        ...(finished === before || left === 0
          ? []
          : [`about ${toClock((elapsed / (finished - before)) * left)} left`]),
      ]
      return parts.join('  ·  ')
    },
  }
}

/** One question at a time, in the order in which they come; the answer to those that are left at the end is no. */
const createAsking = () => {
  let last: Promise<unknown> = Promise.resolve()
  let lines: Interface | undefined
  let isOver = false
  const ask = (text: string): Promise<boolean> =>
    new Promise((resolve) => {
      if (isOver) return resolve(false)
      const open = createInterface({ input: process.stdin, terminal: false })
      lines = open
      process.stderr.write(text)
      open.once('line', (line) => {
        resolve(/^\s*y(es)?\s*$/i.test(line))
        open.close()
      })
      open.once('close', () => resolve(false))
    })
  return {
    ask(text: string): Promise<boolean> {
      const answer = last.then(() => ask(text))
      last = answer
      return answer
    },
    /** Whoever reads keeps the process alive. */
    end() {
      isOver = true
      lines?.close()
    },
  }
}

const failureLine = ({ problem }: PlannedEpisode, { blame, message }: Failure): string =>
  oneLine(
    blame === 'operator'
      ? `cannot go on at ${problem.id}: ${message}`
      : `begun again: the ${blame} failed at ${problem.id}: ${message}`,
  )

/** Asked anew each time: a process in the background is not told that the window has another size. */
const screen = {
  get columns() {
    return process.stderr.getWindowSize()[0]
  },
  write: (text: string) => process.stderr.write(text),
}

/** Whatever a terminal was told to do with letters before: these are to be seen. */
const plainAgain = (): string => (isLive() ? '\x1b[0m' : '')

const toQuestion = ({ contender }: PlannedEpisode, text: string): string =>
  `${plainAgain()}${contender.name} wants to\n${readableText(text, process.stderr.columns ?? 80)}\nLet it? [y/N] `

const createLiveView = (): RunView => {
  const clock = createRealClock()
  const foot = createScreenFoot(screen)
  const counts = createCounts(() => clock.now())
  const running = new Map<string, { text: string; since: number }>()
  const asking = createAsking()
  let questions = 0
  let timer: Timer | undefined
  const draw = (): void => {
    if (questions > 0) return
    const lines = [...running.values()].map(
      ({ text, since }) => `  ${toClock(clock.now() - since).padStart(5)}  ${text}`,
    )
    foot.draw(['', ...lines, counts.line()])
  }
  const tick = (): void => {
    draw()
    timer = clock.after(REDRAW_MS, tick)
  }
  process.stderr.on('resize', draw)
  return {
    onBegin(given) {
      counts.begin(given)
      tick()
    },
    onEpisode(progress) {
      running.delete(progress.result.episode)
      counts.add(progress)
      foot.say(resultLine(progress))
    },
    onStage({ episode }, told) {
      const text = oneLine(told)
      running.set(episode, {
        text,
        since: running.get(episode)?.text === text ? running.get(episode)!.since : clock.now(),
      })
    },
    onFailure(planned, failure) {
      running.delete(planned.episode)
      foot.say(failureLine(planned, failure))
    },
    async onQuestion(planned, text) {
      questions += 1
      foot.clear()
      const yes = await asking.ask(toQuestion(planned, text))
      questions -= 1
      return yes
    },
    end() {
      timer?.cancel()
      asking.end()
      process.stderr.off('resize', draw)
      foot.clear()
    },
  }
}

const createPlainView = (say: (line: string) => void): RunView => {
  const asking = createAsking()
  return {
    onBegin({ finished, planned }) {
      say(`${planned} episodes${finished === 0 ? '' : `, ${finished} of them ended before`}`)
    },
    onEpisode: (progress) => say(resultLine(progress)),
    onStage() {},
    onFailure: (planned, failure) => say(failureLine(planned, failure)),
    onQuestion: (planned, text) => asking.ask(toQuestion(planned, text)),
    end: () => asking.end(),
  }
}

export const createRunView = (say: (line: string) => void): RunView =>
  isLive() ? createLiveView() : createPlainView(say)
