/** One episode of the gym: an attempt whose actions come one at a time. */
import type { AttemptOutcome, Incident } from '#exam/episode'
import { agentSolver } from '#examinee/aci'
import { describeBriefing, describeWork } from '#examinee/agent-parts'
import { defined } from '#kit'
import { type KeptRecord, keepRecord } from '#lab/records'
import { openPrograms } from '#lab/runs'
import { type EngineCluster, type Observation, RemediumError, type Verdict } from '#spec'
import type { EpisodeInfo, ResetResult, StepInfo, StepResult, VoidInfo } from '../episode-results.ts'
import { computeReward } from '../reward/compute-reward.ts'
import { type AgentReply, createGymAgent, type GymAgent } from './create-gym-agent.ts'
import type { GymJob } from './gym-job.ts'

export interface GymEpisode {
  readonly first: ResetResult
  /** A failure that the agent did not cause makes the episode void. */
  step(action: unknown): Promise<StepResult>
  /** Ends the episode without a submission. */
  giveUp(): Promise<StepResult>
  readonly isOver: boolean
  /** Ends the attempt without a result; resolves when it has ended. */
  abandon(): Promise<void>
}

export interface EpisodeInputs {
  readonly job: GymJob
  readonly incident: Incident
  readonly cluster: EngineCluster
  readonly seed: string
  /** The path of the record; none is kept by default. */
  readonly record?: string | undefined
}

/** Converts a void verdict to an error with the same blame. */
export const toVoidError = ({ code = 'defect', reason, blame }: Verdict): RemediumError =>
  new RemediumError(code as 'defect', reason, { blame })

const toVoidInfo = ({
  outcome,
  code = 'defect',
  blame = 'harness',
  reason,
}: Verdict): VoidInfo | undefined => (outcome === 'void' ? { code, blame, reason } : undefined)

const endOf = ({ events }: AttemptOutcome) => events.findLast((event) => event.type === 'solver-ended')

const explainEnd = (outcome: AttemptOutcome): Observation => {
  const reason =
    outcome.verdict.outcome === 'void' ? 'it cannot be judged' : (endOf(outcome)?.reason ?? 'it has ended')
  return { ok: false, text: `The episode is over: ${reason}. The action was not completed.` }
}

const countSteps = ({ events }: AttemptOutcome): number =>
  events.filter((event) => event.type === 'step-taken' && event.reach !== 'answers').length

/** Makes the attempt, and keeps its record. */
const makeAttempt = async (
  { job, incident, cluster, record: path }: EpisodeInputs,
  { agent }: GymAgent,
): Promise<AttemptOutcome> => {
  let record: KeptRecord | undefined
  const { close, ...programs } = openPrograms(cluster, job.kubectl)
  const { allow, isThinkingTimed = false } = job
  const solver = agentSolver({ agent, ...programs, policy: defined({ allow }), isThinkingTimed })
  try {
    record = keepRecord(path)
    const outcome = await incident.attempt(solver, { sink: record.sink })
    if (outcome.verdict.outcome === 'void') record.finishVoid()
    else record.finish()
    return outcome
  } finally {
    record?.discard()
    await close()
  }
}

/** Resolves when the agent has its briefing; rejects if the incident could not be prepared. */
export const startGymEpisode = async (inputs: EpisodeInputs): Promise<GymEpisode> => {
  const { incident, job, seed } = inputs
  const { problem } = incident
  const gymAgent = createGymAgent()
  const attempt = makeAttempt(inputs, gymAgent)
  attempt.catch(() => {})
  const start = await Promise.race([gymAgent.started, attempt])
  if ('verdict' in start) throw toVoidError(start.verdict)
  const { episode, briefing, actions } = start
  const info: EpisodeInfo = { episode, problem: problem.id, seed }
  const text = `${describeWork(briefing)}\n\n${describeBriefing(briefing)}`
  let steps = 0
  let isOver = false

  const toResult = (outcome: AttemptOutcome, reply: AgentReply | undefined): StepResult => {
    const { verdict, events } = outcome
    const reward = computeReward({ problem, events, verdict }, job.reward)
    const isSubmitted = verdict.outcome !== 'void' && endOf(outcome)?.outcome === 'submitted'
    const stepInfo: StepInfo = {
      ...info,
      step: countSteps(outcome),
      verdict,
      terms: reward.terms,
      ...defined({ void: toVoidInfo(verdict) }),
    }
    return {
      observation: reply?.observation ?? explainEnd(outcome),
      reward: reward.value,
      terminated: isSubmitted,
      truncated: !isSubmitted,
      info: stepInfo,
    }
  }

  return {
    first: { observation: { ok: true, text, briefing, actions }, info },
    get isOver() {
      return isOver
    },
    async step(action) {
      const reply = await Promise.race([gymAgent.act(action), attempt.then(() => undefined)])
      steps += 1
      if (reply !== undefined && !reply.isLast)
        return {
          observation: reply.observation,
          reward: 0,
          terminated: false,
          truncated: false,
          info: { ...info, step: steps },
        }
      isOver = true
      return toResult(await attempt, reply)
    },
    async giveUp() {
      isOver = true
      gymAgent.giveUp()
      return toResult(await attempt, undefined)
    },
    async abandon() {
      isOver = true
      gymAgent.abandon()
      await attempt.catch(() => {})
    },
  }
}
