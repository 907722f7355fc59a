/** Walks one journey: sends its requests one after another, judges each answer, and notes what a user lived. */
import { ExpressionError } from '../expressions/index.ts'
import type { Random } from '../kit/index.ts'
import type { JourneyRecord, RequestRecord } from '../spec/index.ts'
import type { CompiledJourney, CompiledJourneys, CompiledStep } from './compile-journey.ts'
import type { User } from './user.ts'
import { NoAnswer, type UserAnswer, type UserClient } from './user-client.ts'

/** What all walks have in common. */
export interface WalkSurroundings {
  readonly client: Pick<UserClient, 'send'>
  readonly journeys: CompiledJourneys
  /** Milliseconds since the epoch, with fractions. */
  now(): number
  /** The origin of an entry point; the first one's where none is named. */
  originOf(entryPoint: string | undefined): string
  /** A new one each time: 32 hexadecimal digits. */
  newTraceId(): string
  onRequest(record: RequestRecord): void
  onJourney(record: JourneyRecord): void
}

export interface Walk {
  readonly journey: CompiledJourney
  readonly number: number
  readonly user: User
  /** When it should begin. */
  readonly intended: number
  readonly random: Random
}

type Verdict = Pick<RequestRecord, 'outcome' | 'status' | 'detail'>

const SHOWN_CHARACTERS = 160

const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}...` : line
}

/** JSON where it says so or looks so; otherwise the text. */
const toBody = ({ headers, text }: UserAnswer): unknown => {
  if (!headers['content-type']?.includes('json') && !/^\s*[{[]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const isFine = (status: number): boolean => status >= 200 && status < 400

const failed = (status: number, reason: string): Verdict => ({
  outcome: isFine(status) ? 'content' : 'status',
  status,
  detail: reason,
})

export const walkJourney = async (walk: Walk, around: WalkSurroundings): Promise<JourneyRecord> => {
  const { journey, user, random, intended } = walk
  const scope: Record<string, unknown> = { user: user.facts, session: user.session }
  const started = around.now()

  const prepare = (
    step: CompiledStep,
  ): { target: string; headers: Record<string, string>; body?: string } => {
    for (const [name, evaluate] of step.lets) scope[name] = evaluate(scope)
    const target = step.target(scope)
    const headers: Record<string, string> = {}
    for (const [name, evaluate] of step.headers) headers[name] = evaluate(scope)
    if (step.json !== undefined) {
      headers['content-type'] ??= 'application/json'
      return { target, headers, body: JSON.stringify(step.json(scope)) }
    }
    if (step.form === undefined) return { target, headers }
    headers['content-type'] ??= 'application/x-www-form-urlencoded'
    const fields = step.form.map(([name, evaluate]): [string, string] => [name, String(evaluate(scope))])
    return { target, headers, body: new URLSearchParams(fields).toString() }
  }

  /** Whether the answer is what the user wanted; what is to be kept of it must be there. */
  const judge = (step: CompiledStep, answer: UserAnswer): Verdict => {
    const { status } = answer
    const isJudged = step.expect !== undefined || step.keep.length + step.keepInSession.length > 0
    if (isJudged) Object.assign(scope, { status, headers: answer.headers, body: toBody(answer) })
    if (step.expect === undefined && !isFine(status)) return failed(status, shorten(answer.text))
    if (step.expect !== undefined && step.expect(scope) !== true)
      return failed(status, `not so: ${step.expectation}; it was ${shorten(answer.text)}`)
    for (const [name, evaluate] of step.keep) scope[name] = evaluate(scope)
    for (const [name, evaluate] of step.keepInSession) user.session[name] = evaluate(scope)
    return { outcome: 'ok', status }
  }

  /** Undefined where the step is not wanted this time. */
  const attempt = async (step: CompiledStep, traceId: string): Promise<Verdict | undefined> => {
    let status = 0
    try {
      around.journeys.drawFrom(random)
      if (step.when !== undefined && step.when(scope) !== true) return undefined
      const { headers, ...prepared } = prepare(step)
      const answer = await around.client.send({
        ...prepared,
        headers: { ...headers, traceparent: `00-${traceId}-${traceId.slice(16)}-01` },
        method: step.method,
        origin: around.originOf(step.entryPoint),
        cookies: user.cookies,
        follow: step.follow,
        timeoutMs: step.timeoutMs,
      })
      status = answer.status
      around.journeys.drawFrom(random)
      return judge(step, answer)
    } catch (error) {
      if (error instanceof NoAnswer) return { outcome: error.kind, status: 0, detail: error.message }
      if (!(error instanceof ExpressionError)) throw error
      return status === 0
        ? { outcome: 'content', status, detail: error.message }
        : failed(status, error.message)
    }
  }

  /** Undefined where the step is not wanted this time. */
  const take = async (step: CompiledStep, due: number): Promise<RequestRecord | undefined> => {
    const traceId = around.newTraceId()
    const begun = around.now()
    const verdict = await attempt(step, traceId)
    if (verdict === undefined) return undefined
    const taken: RequestRecord = {
      journey: journey.name,
      walk: walk.number,
      step: step.name,
      intended: due,
      started: begun,
      latencyMs: around.now() - due,
      ...verdict,
      traceId,
    }
    around.onRequest(taken)
    return taken
  }

  let due = intended
  let failedAt: string | undefined
  for (const step of journey.steps) {
    const taken = await take(step, due)
    if (taken === undefined) continue
    due += taken.latencyMs
    if (taken.outcome === 'ok') continue
    user.wasRefused(taken.status)
    failedAt = step.name
    break
  }
  const record: JourneyRecord = {
    journey: journey.name,
    walk: walk.number,
    intended,
    started,
    latencyMs: due - intended,
    ok: failedAt === undefined,
    ...(failedAt === undefined ? {} : { failedAt }),
  }
  around.onJourney(record)
  return record
}
