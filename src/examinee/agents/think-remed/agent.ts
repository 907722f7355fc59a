/** ThinkRemed: a Coordinator with a Probe, an Execution and a Verification reasons, acts and reflects in several trials. */
import { type AgentOptions, toToolText } from '#examinee/agent-parts'
import { type Agent, type AgentContext, type AgentStep, defineAgent, taskOf } from '#spec'
import { COORDINATOR, type Coordinator, createCoordinator, type Decision } from './coordinator.ts'
import { EXECUTION, type Execution, execute } from './execution.ts'
import { parseOptions, type ThinkRemedOptions } from './options.ts'
import { PROBE, probe } from './probe.ts'
import { VERIFICATION, type Verification, verify } from './verification.ts'

/** The maximum number of submissions, if answers are refused. */
const MAX_SUBMISSIONS = 3

/** Answers probes of the Coordinator until it makes another decision or has used up its probes. */
async function* reason(
  context: AgentContext,
  options: ThinkRemedOptions,
  coordinator: Coordinator,
): AsyncGenerator<AgentStep, Decision, void> {
  for (let probes = 0; ; probes += 1) {
    const decision = yield* coordinator.decide(probes < options.probes)
    if (decision.kind !== 'probe') return decision
    coordinator.report(decision, yield* probe(context, options, decision.question))
  }
}

/** Reports the result of a trial to the Coordinator, and asks it to reflect before the next one. */
const toReflection = (
  execution: Execution,
  verification: Verification | undefined,
  trialsLeft: number,
): string => {
  const verificationText =
    verification === undefined
      ? 'The system was not verified, because the playbook did not succeed.'
      : `Verification: the system is ${verification.healthy ? 'healthy' : 'not healthy'}. Evidence: ${verification.evidence}`
  const nextText = verification?.healthy
    ? 'The system is repaired.'
    : trialsLeft === 0
      ? 'That was the last trial.'
      : [
          `You have ${trialsLeft} more ${trialsLeft === 1 ? 'trial' : 'trials'}. First reflect: Which assumption was wrong? Is the cause a`,
          'different one, or was the playbook faulty? Does a change have to be reverted? Then probe, or run a better playbook.',
        ].join(' ')
  return [`Execution: ${execution.summary}`, verificationText, nextText].join('\n\n')
}

/** Runs one playbook, and verifies the system if the playbook succeeded. */
async function* attemptRepair(
  context: AgentContext,
  options: ThinkRemedOptions,
  playbook: string,
): AsyncGenerator<AgentStep, { execution: Execution; verification?: Verification }, void> {
  const execution = yield* execute(context, options, playbook)
  if (!execution.ok) return { execution }
  return { execution, verification: yield* verify(context, options, execution.summary) }
}

/** Submits the answers. If they are refused, asks the Coordinator again, up to a maximum. */
async function* finish(
  { actions, briefing }: AgentContext,
  coordinator: Coordinator,
  firstDecision: Decision | undefined,
): AsyncGenerator<AgentStep, void, void> {
  let decision = firstDecision
  for (let submission = 0; submission < MAX_SUBMISSIONS; submission += 1) {
    if (decision === undefined && taskOf(briefing.task).questions.length > 0)
      decision = yield* coordinator.conclude()
    const observation = await actions.call('submit', decision?.kind === 'submit' ? decision.answers : {})
    if (observation.ok || decision?.kind !== 'submit') return
    coordinator.report(decision, toToolText(observation))
    decision = undefined
  }
}

async function* solve(
  options: ThinkRemedOptions,
  context: AgentContext,
): AsyncGenerator<AgentStep, void, void> {
  const coordinator = createCoordinator(context, options)
  for (let trial = 1; trial <= options.trials; trial += 1) {
    const decision = yield* reason(context, options, coordinator)
    if (decision.kind === 'submit') {
      yield* finish(context, coordinator, decision)
      return
    }
    if (decision.kind !== 'playbook') break
    const { execution, verification } = yield* attemptRepair(context, options, decision.playbook)
    coordinator.report(decision, toReflection(execution, verification, options.trials - trial))
    if (verification?.healthy) break
  }
  yield* finish(context, coordinator, undefined)
}

export const createAgent = (agentOptions: AgentOptions = {}): Agent => {
  const options = parseOptions(agentOptions)
  return defineAgent({
    name: 'think-remed',
    about: 'ThinkRemed: Coordinator, Probe, Execution and Verification reason, act and reflect',
    roles: [COORDINATOR, PROBE, EXECUTION, VERIFICATION],
    solve: (context) => solve(options, context),
  })
}

export const agent = createAgent()
