/** Walks one journey: sends its requests one after another, judges each answer, and notes what a user lived. */
import { ExpressionError } from '../expressions/index.ts'
import type { Random } from '../kit/index.ts'
import type { JourneyRecord, RequestRecord } from '../spec/index.ts'
import type { CompiledJourney, CompiledJourneys, CompiledStep } from './compile-journey.ts'
import { judgeAnswer, notWanted, type Verdict } from './judge-answer.ts'
import { prepareRequest } from './prepare-request.ts'
import type { User } from './user.ts'
import { NoAnswer, type UserClient } from './user-client.ts'

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

/** What the steps of one walk share. */
type Steps = Walk & { readonly scope: Record<string, unknown> }

/** Undefined where the step is not wanted this time. */
const attempt = async (
  step: CompiledStep,
  traceId: string,
  { scope, user, random }: Steps,
  around: WalkSurroundings,
): Promise<Verdict | undefined> => {
  let status = 0
  try {
    around.journeys.drawFrom(random)
    if (step.when !== undefined && step.when(scope) !== true) return undefined
    const { headers, ...prepared } = prepareRequest(step, scope)
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
    return judgeAnswer(step, answer, scope, user.session)
  } catch (error) {
    if (error instanceof NoAnswer) return { outcome: error.kind, status: 0, detail: error.message }
    if (error instanceof ExpressionError) return notWanted(status, error.message)
    throw error
  }
}

/** `due` is when it should be sent. Undefined where the step is not wanted this time. */
const takeStep = async (
  step: CompiledStep,
  due: number,
  steps: Steps,
  around: WalkSurroundings,
): Promise<RequestRecord | undefined> => {
  const traceId = around.newTraceId()
  const started = around.now()
  const verdict = await attempt(step, traceId, steps, around)
  if (verdict === undefined) return undefined
  const { journey, number } = steps
  const latencyMs = around.now() - due
  const record: RequestRecord = {
    journey: journey.name,
    walk: number,
    step: step.name,
    intended: due,
    started,
    latencyMs,
    ...verdict,
    traceId,
  }
  around.onRequest(record)
  return record
}

/** A step is due when the one before it has ended; the first one that fails ends the walk. */
export const walkJourney = async (walk: Walk, around: WalkSurroundings): Promise<JourneyRecord> => {
  const { journey, user, number, intended } = walk
  const steps: Steps = { ...walk, scope: { user: user.facts, session: user.session } }
  const started = around.now()
  let due = intended
  let preparing = 0
  let failedAt: string | undefined
  for (const step of journey.steps) {
    const taken = await takeStep(step, due, steps, around)
    if (taken === undefined) continue
    due += taken.latencyMs
    if (step.prepares && step !== journey.steps.at(-1)) preparing += taken.latencyMs
    if (taken.outcome === 'ok') continue
    user.wasRefused(taken.status)
    failedAt = step.name
    break
  }
  const record: JourneyRecord = {
    journey: journey.name,
    walk: number,
    intended,
    started,
    latencyMs: due - intended - preparing,
    ok: failedAt === undefined,
    ...(failedAt === undefined ? {} : { failedAt }),
  }
  around.onJourney(record)
  return record
}
