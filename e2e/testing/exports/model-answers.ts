/** Scripted answers for the episodes that are exported: every kind of answer, valid and invalid. */
import type { ServerAnswer, ServerRequest } from '#examinee/models/testing'
import { CONTACT_REQUEST } from '#lab/launch'
import { LOOK_ONLY } from '../model-script.ts'

type Answer = Extract<ServerAnswer, { text?: string }>

/** Calls tools through the tool interface. */
export const NATIVE_MODEL = 'compatible:native'
/** Rejects tools, so that they are offered in text. */
export const PLAIN_MODEL = 'compatible:plain'

const call = (name: string, input: object = {}) => ({ name, input })
const FENCED: Answer = { text: `This reads the pods.\n\`\`\`yaml\n${LOOK_ONLY}\`\`\`` }
const FILTERED: Answer = { finish: 'content_filter' }
const CUT_OFF: Answer = { text: 'The cause could be one of', thinking: 'Many causes.', finish: 'length' }
const BROKEN: Answer = { text: 'Logs.', calls: [{ name: 'get_logs', raw: '{"service": "hello' }] }
const LOOK: Answer = {
  text: 'Which <service> fails?',
  thinking: 'Alerts first.\nThen "pods" & nodes.',
  calls: [call('get_alerts'), call('get_objects', { kind: 'Pod' })],
}
const PLAY: Answer = {
  text: 'I run a playbook.',
  thinking: 'A playbook that reads.',
  calls: [call('run_playbook', { playbook: LOOK_ONLY })],
}
const SUBMIT: Answer = { text: 'Done.', calls: [call('submit')] }

/** The conversations of each part of an agent, used in turn. The last answer of a conversation is repeated. */
const CONVERSATIONS: Readonly<Record<string, readonly (readonly Answer[])[]>> = {
  'solo-gen': [
    [FENCED],
    [PLAY],
    [FILTERED],
    [CUT_OFF],
    [{ calls: [...(PLAY.calls ?? []), call('submit')] }],
    [{ text: 'I cannot help.' }],
  ],
  react: [
    [LOOK, CUT_OFF, { text: 'Hm.' }, PLAY, BROKEN, SUBMIT],
    [LOOK, { calls: [call('no_such_tool', { a: [1, { b: null }] })] }, SUBMIT],
    [FILTERED, LOOK, PLAY, { thinking: 'Enough.', calls: [call('submit')] }],
    [{ text: '' }, { text: '' }, { text: '' }],
  ],
  coordinator: [
    [{ text: 'I ask the probe.', calls: [call('probe', { question: 'Which pod fails?' })] }, PLAY, SUBMIT],
    [FENCED, SUBMIT],
    [CUT_OFF, { calls: [call('probe', {}), call('submit')] }, SUBMIT],
  ],
  probe: [
    [
      {
        thinking: 'Metrics.',
        calls: [call('get_metrics', { service: 'hello-service' }), call('get_alerts')],
      },
      { calls: [call('report', { summary: 'The pod of hello-service is at its CPU limit.' })] },
    ],
    [{ text: 'I saw nothing.' }],
  ],
  execution: [[{ text: 'It read pods.', thinking: 'No change.' }]],
  verification: [
    [{ calls: [call('give_verdict', { healthy: true, evidence: 'latencies are normal' })] }],
    [LOOK, { text: 'healthy: true' }],
  ],
}

const PARTS: readonly (readonly [tool: string, part: string])[] = [
  ['give_verdict', 'verification'],
  ['report', 'probe'],
  ['probe', 'coordinator'],
  ['get_alerts', 'react'],
  ['run_playbook', 'solo-gen'],
  ['submit', 'coordinator'],
]

/** Recognises the part by its tools, which a message describes if they are offered in text. */
const partOf = ({ body: { tools, messages } }: ServerRequest): string => {
  const isOffered = (tool: string): boolean =>
    tools === undefined
      ? messages.some(({ content }) => String(content).includes(`\n- ${tool}: `))
      : tools.some((offered) => offered.function.name === tool)
  const isCoordinator = String(messages[0]?.content).startsWith('You coordinate')
  return isCoordinator ? 'coordinator' : (PARTS.find(([tool]) => isOffered(tool))?.[1] ?? 'execution')
}

/** Writes tool calls as a model without a tool interface does. */
const withCallsInText = ({ text = '', calls = [], ...answer }: Answer): Answer => ({
  ...answer,
  text: [
    text,
    ...calls.map((toolCall) =>
      [
        '```json',
        'raw' in toolCall ? toolCall.raw : JSON.stringify({ tool: toolCall.name, input: toolCall.input }),
        '```',
      ].join('\n'),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n'),
})

export const createModelAnswers = () => {
  const startedCounts = new Map<string, number>()
  /** Conversations keyed by their first message, because the server has no sessions. */
  const conversationOf = new Map<string, readonly Answer[]>()

  const findConversation = (part: string, { body }: ServerRequest): readonly Answer[] => {
    const answered = body.messages.filter(({ role }) => role === 'assistant').length
    const key = JSON.stringify([part, body.model, body.messages.filter(({ role }) => role === 'user')[0]])
    if (answered === 0 || !conversationOf.has(key)) {
      const number = startedCounts.get(`${part} ${body.model}`) ?? 0
      startedCounts.set(`${part} ${body.model}`, number + 1)
      const conversations = CONVERSATIONS[part]!
      conversationOf.set(key, conversations[number % conversations.length]!)
    }
    return conversationOf.get(key)!
  }

  return (request: ServerRequest): ServerAnswer => {
    const { model, tools, messages } = request.body
    const isPlain = PLAIN_MODEL.endsWith(`:${model}`)
    if (messages[0]?.content === CONTACT_REQUEST) return { text: 'OK' }
    if (isPlain && tools !== undefined) return { status: 400, message: 'tools are not supported' }
    const conversation = findConversation(partOf(request), request)
    const answered = messages.filter(({ role }) => role === 'assistant').length
    const answer = conversation[Math.min(answered, conversation.length - 1)]!
    return isPlain ? withCallsInText(answer) : answer
  }
}
