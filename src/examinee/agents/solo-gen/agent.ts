/** SoloGen: asks the model once, and runs the playbook it writes. */
import {
  type AgentOptions,
  CONVERSATION_OPTIONS,
  createConversation,
  describeBriefing,
  describePlaybooks,
  describeRules,
  findPlaybook,
  parseAgentOptions,
  submit,
} from '#examinee/agent-parts'
import { type Agent, type AgentContext, type AgentStep, type Briefing, defineAgent, taskOf } from '#spec'

const ROLE = 'solver'

const toPrompt = (briefing: Briefing): string => {
  const { task, namespace } = briefing
  const { repairs, questions } = taskOf(task)
  const instructions = repairs
    ? [
        'You cannot inspect the system, and you can respond only once. Write a playbook that repairs the system, and pass it',
        'to `run_playbook` in a single call. The playbook is run immediately, and you are not asked again. If the playbook',
        'needs information about the system, such as the names of objects, let it read them with `kubernetes.core.k8s_info`.',
        ...(questions.length > 0
          ? [
              'Also call `submit` with your answers in the same response. If nothing has to be changed, call only `submit`.',
            ]
          : ['If nothing has to be changed, call `submit` instead.']),
        describePlaybooks(namespace),
      ]
    : [
        'You cannot inspect the system, and you can respond only once. Call `submit` with the answers that are most likely',
        'according to the report.',
      ]
  return [
    'You are the on-call engineer for a microservice system on Kubernetes.',
    describeRules(task),
    instructions.join('\n'),
  ].join('\n\n')
}

async function* solve(
  options: { contextCharacters: number; outputTokens?: number | undefined },
  { briefing, actions, model, signal }: AgentContext,
): AsyncGenerator<AgentStep, void, void> {
  const conversation = createConversation(model(ROLE), toPrompt(briefing), {
    maxCharacters: options.contextCharacters,
    maxOutputTokens: options.outputTokens,
    signal,
  })
  conversation.say(describeBriefing(briefing))
  const { repairs } = taskOf(briefing.task)
  const toolNames = repairs ? ['run_playbook', 'submit'] : ['submit']
  const answer = await conversation.ask(actions.available.filter(({ name }) => toolNames.includes(name)))
  if (answer.text.trim() !== '') yield { role: ROLE, thought: answer.text.trim() }

  const playbook = repairs ? findPlaybook(answer) : undefined
  if (playbook !== undefined) {
    const { ok } = await actions.call('run_playbook', { playbook: playbook.playbook })
    yield { role: ROLE, thought: ok ? 'The playbook completed.' : 'The playbook failed.' }
  } else if (repairs) {
    yield { role: ROLE, thought: 'The response contains no playbook. Nothing is run.' }
  }
  await submit(actions, answer.toolCalls.find(({ name }) => name === 'submit')?.input)
}

export const createAgent = (agentOptions: AgentOptions = {}): Agent => {
  const options = parseAgentOptions('solo-gen', CONVERSATION_OPTIONS, agentOptions)
  return defineAgent({
    name: 'solo-gen',
    about: 'one prompt, one playbook',
    roles: [ROLE],
    solve: (context) => solve(options, context),
  })
}

export const agent = createAgent()
