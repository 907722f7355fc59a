/** Writes down what a model is asked and what it answers, so that the conversation can be had again without it. */
import { appendFileSync } from 'node:fs'
import {
  type Blame,
  type ErrorCode,
  type LanguageModel,
  type ModelAnswer,
  type ModelRequest,
  RemediumError,
} from '../spec/index.ts'

/** What of a request decides the answer. */
export type RecordedRequest = Omit<ModelRequest, 'signal'>

/** One line of the file. */
export interface RecordedCall {
  /** `provider:name` */
  readonly model: string
  readonly request: RecordedRequest
  readonly answer?: ModelAnswer
  /** Instead of an answer. */
  readonly error?: { readonly code: ErrorCode; readonly blame: Blame; readonly message: string }
}

export const toRecordedRequest = ({ signal: _, ...request }: ModelRequest): RecordedRequest => request

/**
 * The same model; lines are added to the file as answers come. Several models and processes may share one file: each line
 * is one write at its end.
 */
export const recording = (model: LanguageModel, file: string): LanguageModel => {
  const write = (line: RecordedCall): void => appendFileSync(file, `${JSON.stringify(line)}\n`)
  return {
    name: model.name,
    async ask(asked) {
      const call = { model: model.name, request: toRecordedRequest(asked) }
      try {
        const answer = await model.ask(asked)
        write({ ...call, answer })
        return answer
      } catch (thrown) {
        if (thrown instanceof RemediumError && !asked.signal?.aborted) {
          const { code, blame, message } = thrown
          write({ ...call, error: { code, blame, message } })
        }
        throw thrown
      }
    },
  }
}
