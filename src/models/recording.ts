/** Writes down what a model is asked and what it answers, so that the conversation can be had again without it. */
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  type Blame,
  type ErrorCode,
  type LanguageModel,
  type ModelAnswer,
  type ModelRequest,
  RemediumError,
} from '../spec/index.ts'

/** What of a request decides the answer. */
export type RecordedRequest = Omit<ModelRequest, 'signal' | 'onDelay'>

/** One line of the file. */
export interface RecordedCall {
  /** `provider:name` */
  readonly model: string
  readonly request: RecordedRequest
  readonly answer?: ModelAnswer
  /** Instead of an answer. */
  readonly error?: { readonly code: ErrorCode; readonly blame: Blame; readonly message: string }
}

export const toRecordedRequest = ({ signal: _, onDelay: __, ...request }: ModelRequest): RecordedRequest =>
  request

/** Nobody who asks a model is to blame for a full disk. */
const addLine = (file: string, line: RecordedCall): void => {
  try {
    mkdirSync(dirname(file), { recursive: true })
    appendFileSync(file, `${JSON.stringify(line)}\n`)
  } catch (cause) {
    const message = `The conversation ${file} cannot be written: ${(cause as Error).message}.`
    throw new RemediumError('record-lost', message, { cause })
  }
}

/**
 * The same model; lines are added to the file as answers come. Several models and processes may share one file: each line
 * is one write at its end.
 */
export const recording = (model: LanguageModel, file: string): LanguageModel => ({
  name: model.name,
  async ask(asked) {
    const call = { model: model.name, request: toRecordedRequest(asked) }
    const answer = await model.ask(asked).catch((thrown: unknown) => {
      if (thrown instanceof RemediumError && !asked.signal?.aborted) {
        const { code, blame, message } = thrown
        addLine(file, { ...call, error: { code, blame, message } })
      }
      throw thrown
    })
    addLine(file, { ...call, answer })
    return answer
  },
})
