/** Records the requests and answers of a model in a file, for replay. */
import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { giveToCaller } from '#kit'
import {
  type Blame,
  type ErrorCode,
  type LanguageModel,
  type ModelAnswer,
  type ModelRequest,
  RemediumError,
} from '#spec'

/** The parts of a request that determine the answer. */
export type RecordedRequest = Omit<ModelRequest, 'signal' | 'onDelay'>

/** One line of the file. */
export interface RecordedCall {
  /** `provider:name` */
  readonly model: string
  readonly request: RecordedRequest
  readonly answer?: ModelAnswer
  /** Present instead of `answer` if the call failed. */
  readonly error?: { readonly code: ErrorCode; readonly blame: Blame; readonly message: string }
}

export const toRecordedRequest = ({ signal: _, onDelay: __, ...request }: ModelRequest): RecordedRequest =>
  request

/** Throws `record-lost`, which does not blame the agent. */
const appendCall = (file: string, line: RecordedCall): void => {
  try {
    const createdFolder = mkdirSync(dirname(file), { recursive: true })
    const isNew = !existsSync(file)
    appendFileSync(file, `${JSON.stringify(line)}\n`)
    if (isNew) giveToCaller(createdFolder ?? file)
  } catch (cause) {
    const message = `The recording ${file} cannot be written: ${(cause as Error).message}.`
    throw new RemediumError('record-lost', message, { cause })
  }
}

/** Wraps a model so that each call appends a line to the file. Models and processes may share a file: each line is one append. */
export const recordCalls = (model: LanguageModel, file: string): LanguageModel => ({
  name: model.name,
  async ask(request) {
    const call = { model: model.name, request: toRecordedRequest(request) }
    const answer = await model.ask(request).catch((thrown: unknown) => {
      if (thrown instanceof RemediumError && !request.signal?.aborted) {
        const { code, blame, message } = thrown
        appendCall(file, { ...call, error: { code, blame, message } })
      }
      throw thrown
    })
    appendCall(file, { ...call, answer })
    return answer
  },
})
