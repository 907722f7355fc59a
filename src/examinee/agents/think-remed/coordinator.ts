/** The Coordinator: decides whether to probe, writes the playbooks, and reflects on failed trials. */
import {
  type Conversation,
  describeBriefing,
  describePlaybooks,
  describeRules,
  findPlaybook,
} from '#examinee/agent-parts'
import { isPlainObject } from '#kit'
import {
  type AgentContext,
  type AgentStep,
  type Briefing,
  type ModelAnswer,
  type ToolCall,
  type ToolDescription,
  taskOf,
} from '#spec'
import { startConversation, type ThinkRemedOptions } from './options.ts'

export const COORDINATOR = 'coordinator'

/** `call` is the tool call that needs a result. Absent if the decision was in the text. */
export type Decision = { readonly call?: ToolCall } & (
  | { readonly kind: 'probe'; readonly question: string }
  | { readonly kind: 'playbook'; readonly playbook: string }
  | { readonly kind: 'submit'; readonly answers: unknown }
  /** The model did not decide, despite reminders. */
  | { readonly kind: 'nothing' }
)

const PROBE_TOOL: ToolDescription = {
  name: 'probe',
  about:
    'Asks one question to a colleague who can read alerts, metrics, logs, traces and objects, and returns the answer.',
  input: {
    type: 'object',
    properties: {
      question: { type: 'string', description: 'One question that can be answered by observing the system.' },
    },
    required: ['question'],
  },
}

/** The maximum number of reminders after answers without a decision. */
const MAX_REMINDERS = 2

const toPrompt = ({ task, namespace }: Briefing, { trials, probes }: ThinkRemedOptions): string =>
  [
    'You are the on-call engineer for a microservice system on Kubernetes. You have no direct access to the system.',
    probes > 0
      ? [
          `A colleague observes it for you: call \`probe\` with a question, at most ${probes} ${probes === 1 ? 'time' : 'times'} before each call of`,
          'another tool. The actions of your colleagues count towards your budget.',
        ].join('\n')
      : 'You decide from the report alone.',
    ...(taskOf(task).repairs
      ? [
          'To repair the system, call `run_playbook` with a playbook. You receive its outcome. If it succeeded, another colleague',
          'verifies whether the system is healthy, and you also receive that result. You can run at most',
          `${trials} ${trials === 1 ? 'playbook' : 'playbooks'}. If nothing has to be changed, call \`submit\`.`,
          describePlaybooks(namespace),
        ]
      : ['When you know the answers, call `submit`.']),
    'In each response, explain your reasoning briefly, and call exactly one tool.',
    describeRules(task),
  ].join('\n')

/** Returns the decision in the first valid call of an answer, or else in its text. */
const toDecision = (answer: ModelAnswer, offered: ReadonlySet<string>): Decision | undefined => {
  for (const call of answer.toolCalls.filter(({ name }) => offered.has(name))) {
    const { question } = (isPlainObject(call.input) ? call.input : {}) as { question?: unknown }
    if (call.name === 'probe' && typeof question === 'string' && question.trim() !== '')
      return { kind: 'probe', question, call }
    if (call.name === 'submit' && isPlainObject(call.input))
      return { kind: 'submit', answers: call.input, call }
    const calledPlaybook =
      call.name === 'run_playbook' ? findPlaybook({ text: '', toolCalls: [call] }) : undefined
    if (calledPlaybook !== undefined) return { kind: 'playbook', playbook: calledPlaybook.playbook, call }
  }
  const writtenPlaybook = offered.has('run_playbook')
    ? findPlaybook({ text: answer.text, toolCalls: [] })
    : undefined
  return writtenPlaybook === undefined ? undefined : { kind: 'playbook', playbook: writtenPlaybook.playbook }
}

export interface Coordinator {
  decide(mayProbe: boolean): AsyncGenerator<AgentStep, Decision, void>
  /** Reports the result of a decision. */
  report(decision: Decision, text: string): void
  /** Asks for the answers to submit. */
  conclude(): AsyncGenerator<AgentStep, Decision, void>
}

/** Answers the calls that were not performed: every call needs a result before the next request. */
const refuseOthers = (
  conversation: Conversation,
  answer: ModelAnswer,
  performed: ToolCall | undefined,
): void => {
  for (const call of answer.toolCalls)
    if (call !== performed)
      conversation.observe(
        call,
        'Error: this call was not performed. Make one call at a time, with complete input.',
      )
}

export const createCoordinator = (context: AgentContext, options: ThinkRemedOptions): Coordinator => {
  const { briefing, actions } = context
  const conversation = startConversation(context, options, COORDINATOR, toPrompt(briefing, options))
  conversation.say(describeBriefing(briefing))
  const decisiveActions = actions.available.filter(
    ({ name }) => name === 'submit' || (name === 'run_playbook' && taskOf(briefing.task).repairs),
  )

  async function* choose(tools: readonly ToolDescription[]): AsyncGenerator<AgentStep, Decision, void> {
    const offered = new Set(tools.map(({ name }) => name))
    for (let attempt = 0; attempt <= MAX_REMINDERS; attempt += 1) {
      const answer = await conversation.ask(tools)
      if (answer.text.trim() !== '') yield { role: COORDINATOR, thought: answer.text.trim() }
      const decision = toDecision(answer, offered)
      refuseOthers(conversation, answer, decision?.call)
      if (decision !== undefined) return decision
      conversation.say(
        `Your response contained no valid call. Call one of these tools with complete input: ${[...offered].join(', ')}.`,
      )
    }
    return { kind: 'nothing' }
  }

  return {
    decide: (mayProbe) => choose(mayProbe ? [PROBE_TOOL, ...decisiveActions] : decisiveActions),
    report(decision, text) {
      if (decision.call === undefined) conversation.say(text)
      else conversation.observe(decision.call, text)
    },
    conclude() {
      conversation.say('No other tool is available. Call `submit` with your answers now.')
      return choose(decisiveActions.filter(({ name }) => name === 'submit'))
    },
  }
}
