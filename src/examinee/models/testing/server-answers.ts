/** The answers of the scripted server, and their wire format: whole or streamed. */
import { defined } from '#kit'
import type { ScriptedCall } from './scripted-model.ts'

export interface ServerUsage {
  readonly input: number
  readonly output: number
  readonly cachedInput?: number
  readonly reasoning?: number
  /** As OpenRouter reports it. */
  readonly costUsd?: number
}

export type ServerAnswer =
  | {
      readonly text?: string
      readonly thinking?: string
      /** `raw` instead of `input`: the arguments as sent on the wire, possibly invalid JSON. */
      readonly calls?: readonly (ScriptedCall | { readonly name: string; readonly raw: string })[]
      readonly finish?: string
      /** Estimated from the number of characters by default. `null`: the server reports no usage. */
      readonly usage?: ServerUsage | null
    }
  /** An error, in the format of OpenAI. */
  | {
      readonly status: number
      readonly message?: string
      readonly code?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** `hang`: never answers; `cut`: closes the connection; `half`: closes it in the middle; others: invalid answers. */
  | { readonly failure: 'hang' | 'cut' | 'half' | 'broken-json' | 'no-choices' | 'error-in-stream' }

export type TextAnswer = Extract<ServerAnswer, { text?: string }>

export const toWireUsage = ({ input, output, cachedInput, reasoning, costUsd }: ServerUsage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  ...(cachedInput === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedInput } }),
  ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  ...defined({ cost: costUsd }),
})

const argumentsOf = (call: NonNullable<TextAnswer['calls']>[number]): string =>
  'raw' in call ? call.raw : JSON.stringify(call.input)

const finishOf = ({ finish, calls = [] }: TextAnswer): string =>
  finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')

const toHeader = (model: string, index: number) => ({ id: `answer-${index}`, created: 1, model })

/** Returns the answer as one body. */
export const toBody = (
  answer: TextAnswer,
  model: string,
  answerIndex: number,
  usage: object | undefined,
) => ({
  ...toHeader(model, answerIndex),
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: answer.text ?? null,
        ...defined({ reasoning_content: answer.thinking }),
        ...(answer.calls === undefined
          ? {}
          : {
              tool_calls: answer.calls.map((call, index) => ({
                id: `call_${answerIndex}_${index}`,
                type: 'function',
                function: { name: call.name, arguments: argumentsOf(call) },
              })),
            }),
      },
      finish_reason: finishOf(answer),
    },
  ],
  ...defined({ usage }),
})

/** Splits a text into pieces of a few characters, as a model streams it. */
const splitIntoPieces = (text: string, size = 7): string[] =>
  text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []

/** Returns the answer as a stream of chunks. The usage comes last, in its own chunk. */
export const toChunks = (
  answer: TextAnswer,
  model: string,
  answerIndex: number,
  usage: object | undefined,
): object[] => {
  const toChunk = (delta: object, finish: string | null = null) => ({
    ...toHeader(model, answerIndex),
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const callChunks = (answer.calls ?? []).flatMap((call, index) => [
    toChunk({
      tool_calls: [
        {
          index,
          id: `call_${answerIndex}_${index}`,
          type: 'function',
          function: { name: call.name, arguments: '' },
        },
      ],
    }),
    ...splitIntoPieces(argumentsOf(call)).map((piece) =>
      toChunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ])
  return [
    toChunk({ role: 'assistant', content: '' }),
    ...splitIntoPieces(answer.thinking ?? '').map((piece) => toChunk({ reasoning_content: piece })),
    ...splitIntoPieces(answer.text ?? '').map((piece) => toChunk({ content: piece })),
    ...callChunks,
    toChunk({}, finishOf(answer)),
    ...(usage === undefined ? [] : [{ ...toHeader(model, answerIndex), choices: [], usage }]),
  ]
}
