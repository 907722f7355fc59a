/** What the scripted server can answer, and how that looks on the wire: in one piece or streamed. */
import type { ScriptedCall } from './scripted-model.ts'

export interface ServerUsage {
  readonly input: number
  readonly output: number
  readonly cachedInput?: number
  readonly reasoning?: number
  /** What OpenRouter says beside the tokens. */
  readonly costUsd?: number
}

export type ServerAnswer =
  | {
      readonly text?: string
      readonly thinking?: string
      /** `raw` instead of `input`: the arguments as they are written on the wire, broken or not. */
      readonly calls?: readonly (ScriptedCall | { readonly name: string; readonly raw: string })[]
      readonly finish?: string
      /** Counted from the letters where absent; `null`: the server says nothing of it. */
      readonly usage?: ServerUsage | null
    }
  /** An error with its message, as OpenAI words it. */
  | {
      readonly status: number
      readonly message?: string
      readonly code?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** `hang`: never answers; `cut`: closes the connection; `half`: closes it in the middle; the others answer nonsense. */
  | { readonly trouble: 'hang' | 'cut' | 'half' | 'broken-json' | 'no-choices' | 'error-in-stream' }

export type SaidAnswer = Extract<ServerAnswer, { text?: string }>

export const toWireUsage = ({ input, output, cachedInput, reasoning, costUsd }: ServerUsage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  ...(cachedInput === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedInput } }),
  ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  ...(costUsd === undefined ? {} : { cost: costUsd }),
})

const argumentsOf = (call: NonNullable<SaidAnswer['calls']>[number]): string =>
  'raw' in call ? call.raw : JSON.stringify(call.input)

const finishOf = ({ finish, calls = [] }: SaidAnswer): string =>
  finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')

const head = (model: string, place: number) => ({ id: `answer-${place}`, created: 1, model })

/** The answer in one piece. */
export const toBody = (said: SaidAnswer, model: string, place: number, usage: object | undefined) => ({
  ...head(model, place),
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: said.text ?? null,
        ...(said.thinking === undefined ? {} : { reasoning_content: said.thinking }),
        ...(said.calls === undefined
          ? {}
          : {
              tool_calls: said.calls.map((call, index) => ({
                id: `call_${place}_${index}`,
                type: 'function',
                function: { name: call.name, arguments: argumentsOf(call) },
              })),
            }),
      },
      finish_reason: finishOf(said),
    },
  ],
  ...(usage === undefined ? {} : { usage }),
})

/** Pieces of a few letters, as they would come from a model. */
const piecesOf = (text: string, size = 7): string[] =>
  text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []

/** The same in chunks, the usage last and by itself. */
export const toChunks = (
  said: SaidAnswer,
  model: string,
  place: number,
  usage: object | undefined,
): object[] => {
  const chunk = (delta: object, finish: string | null = null) => ({
    ...head(model, place),
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const calls = (said.calls ?? []).flatMap((call, index) => [
    chunk({
      tool_calls: [
        {
          index,
          id: `call_${place}_${index}`,
          type: 'function',
          function: { name: call.name, arguments: '' },
        },
      ],
    }),
    ...piecesOf(argumentsOf(call)).map((piece) =>
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ])
  return [
    chunk({ role: 'assistant', content: '' }),
    ...piecesOf(said.thinking ?? '').map((piece) => chunk({ reasoning_content: piece })),
    ...piecesOf(said.text ?? '').map((piece) => chunk({ content: piece })),
    ...calls,
    chunk({}, finishOf(said)),
    ...(usage === undefined ? [] : [{ ...head(model, place), choices: [], usage }]),
  ]
}
