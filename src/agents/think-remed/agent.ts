/** Reasoning, action, reflection: a Coordinator with a Probe, an Execution and a Verification, within a budget of trials. */
import { type AgentOptions, toToolText } from '../../agent-parts/index.ts'
import { type Agent, type AgentContext, type AgentStep, answersOf, defineAgent } from '../../spec/index.ts'
import { COORDINATOR, type Coordinator, createCoordinator, type Decision } from './coordinator.ts'
import { EXECUTION, type Execution, execute } from './execution.ts'
import { parseOptions, type ThinkRemedOptions } from './options.ts'
import { PROBE, probe } from './probe.ts'
import { VERIFICATION, type Verification, verify } from './verification.ts'

/** How often answers that are refused may be given again. */
const SUBMISSIONS = 3

/** Lets the Coordinator probe as often as it wants and may, until it decides on something else. */
async function* reason(
  context: AgentContext,
  options: ThinkRemedOptions,
  coordinator: Coordinator,
): AsyncGenerator<AgentStep, Decision, void> {
  for (let probes = 0; ; probes += 1) {
    const decision = yield* coordinator.decide(probes < options.probes)
    if (decision.kind !== 'probe') return decision
    coordinator.tell(decision, yield* probe(context, options, decision.question))
  }
}

/** What a trial has taught, put so that the Coordinator thinks before it tries again. */
const toReflection = (execution: Execution, verification: Verification | undefined, left: number): string => {
  const seen =
    verification === undefined
      ? 'Nobody verified the system, since the playbook did not do its work.'
      : `Verification says ${verification.healthy ? 'it is healthy' : 'it is not healthy'}: ${verification.evidence}`
  const next = verification?.healthy
    ? 'The system is mended.'
    : left === 0
      ? 'That was the last trial.'
      : [
          `You have ${left} more ${left === 1 ? 'trial' : 'trials'}. First reflect: which assumption was wrong, was the cause`,
          'another one, or the playbook faulty, and is something to be undone? Then probe, or hand over a better playbook.',
        ].join(' ')
  return [`Execution says: ${execution.summary}`, seen, next].join('\n\n')
}

/** Runs and verifies one playbook; tells whether the system is mended. */
async function* attempt(
  context: AgentContext,
  options: ThinkRemedOptions,
  playbook: string,
): AsyncGenerator<AgentStep, { execution: Execution; verification?: Verification }, void> {
  const execution = yield* execute(context, options, playbook)
  if (!execution.ok) return { execution }
  return { execution, verification: yield* verify(context, options, execution.summary) }
}

/** Submits; answers that are refused go back to the Coordinator a few times. */
async function* finish(
  { actions, briefing }: AgentContext,
  coordinator: Coordinator,
  decided: Decision | undefined,
): AsyncGenerator<AgentStep, void, void> {
  let decision = decided
  for (let asked = 0; asked < SUBMISSIONS; asked += 1) {
    if (decision === undefined && answersOf(briefing.task).length > 0)
      decision = yield* coordinator.conclude()
    const observation = await actions.call('submit', decision?.kind === 'submit' ? decision.answers : {})
    if (observation.ok || decision?.kind !== 'submit') return
    coordinator.tell(decision, toToolText(observation))
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
    const { execution, verification } = yield* attempt(context, options, decision.playbook)
    coordinator.tell(decision, toReflection(execution, verification, options.trials - trial))
    if (verification?.healthy) break
  }
  yield* finish(context, coordinator, undefined)
}

export const createAgent = (given: AgentOptions = {}): Agent => {
  const options = parseOptions(given)
  return defineAgent({
    name: 'think-remed',
    about: 'Coordinator, Probe, Execution and Verification: reasons, acts, reflects, tries again',
    roles: [COORDINATOR, PROBE, EXECUTION, VERIFICATION],
    solve: (context) => solve(options, context),
  })
}

export const agent = createAgent()
