/** Classifies the errors of the AI SDK: the blame, and whether to retry. */
import { type Blame, RemediumError, type SamplingSettings } from '#spec'
import { BrokenStreamError } from './ask-once.ts'
import { AttemptFailure } from './attempt-failure.ts'
import { findNamedSetting } from './ignored-setting.ts'
import { readCost, readUsage } from './usage.ts'

/** The informative fields of the SDK's errors. An error in a stream may be any object. */
interface Thrown {
  readonly name?: string
  readonly message?: unknown
  readonly statusCode?: number
  readonly code?: unknown
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly responseBody?: string
  readonly data?: unknown
  readonly cause?: unknown
}

const NO_TOOLS = /tool|function.?call/i
const NO_STREAM = /\bstream/i
const TOO_LONG = /context.?(length|window)|(prompt|input|request) is too (long|large)|maximum.{0,40}tokens/i
const REQUESTED_TOO_LARGE = /max_(?:completion_)?tokens.{0,60}too large: (\d+)/i
const MAX_CONTEXT = /maximum context length is (\d+)/i
const NO_CREDIT = /exceeded your current quota|billing|credit balance/i
/** Some providers describe a temporary limit as an exhausted account. */
const TEMPORARY = /per.?(second|minute|hour|day)|retry.?delay|try again in|rate.?limit.?exceeded/i
const BAD_KEY = /api.?key (is )?(not valid|invalid|not found)|api_key_invalid|invalid api.?key/i
const NO_MODEL = /not a valid model|model\b.{0,80}\b(not found|does not exist|not exist)/i
const MALFORMED =
  /^AI_(JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContentGenerated|NoOutputGenerated)Error$/

const MAX_MESSAGE_CHARACTERS = 500

const parseJson = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the provider's message, which may be in one of several fields of the error. */
const messageOf = (thrown: Thrown): string => {
  const body = parseJson(thrown.responseBody) as
    | { error?: { message?: unknown }; message?: unknown }
    | undefined
  const message = [thrown.message, body?.error?.message, body?.message, thrown.responseBody].find(
    (candidate) => typeof candidate === 'string' && candidate.trim() !== '',
  )
  return String(message ?? 'no reason given')
    .replaceAll(/\s+/g, ' ')
    .slice(0, MAX_MESSAGE_CHARACTERS)
}

const statusOf = (thrown: Thrown): number | undefined => {
  if (thrown.statusCode !== undefined) return thrown.statusCode
  const code = Number(thrown.code)
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : undefined
}

/** Reads `Retry-After`, in seconds or as a date, or `retry-after-ms`, which some providers send. */
export const readRetryAfter = (
  headers: Readonly<Record<string, string>> | undefined,
  now: number,
): number | undefined => {
  const milliseconds = Number.parseFloat(headers?.['retry-after-ms'] ?? '')
  if (milliseconds >= 0) return milliseconds
  const value = headers?.['retry-after']?.trim()
  if (value === undefined || value === '') return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000
  const until = Date.parse(value)
  return Number.isNaN(until) ? undefined : Math.max(0, until - now)
}

/** Reads the delay that Google sends in the body: `"retryDelay": "26s"`. */
const readRetryDelay = (body: string | undefined): number | undefined => {
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body ?? '')?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

const isCreditExhausted = (text: string): boolean =>
  /insufficient_quota/i.test(text) || (NO_CREDIT.test(text) && !TEMPORARY.test(text))

/** If the maximum answer length is a larger share of the context, too little is left for the conversation. */
const MAX_ANSWER_SHARE = 0.9

/** Whether the requested answer length is too large. Long conversations cause the same message. */
const isAnswerLimitTooLarge = (message: string): boolean => {
  const requested = REQUESTED_TOO_LARGE.exec(message)?.[1]
  const context = MAX_CONTEXT.exec(message)?.[1]
  return (
    requested !== undefined &&
    (context === undefined || Number(requested) > Number(context) * MAX_ANSWER_SHARE)
  )
}

/** Returns the tokens and the cost of an unreadable answer. */
const usageOf = (thrown: Thrown): Pick<AttemptFailure, 'usage' | 'costUsd'> => {
  const { value } = (thrown.cause ?? {}) as { value?: unknown }
  const body = [thrown.data, parseJson(thrown.responseBody), value].find(
    (candidate) => readUsage(candidate) !== undefined,
  )
  return { usage: readUsage(body), costUsd: readCost((body as { usage?: unknown } | undefined)?.usage) }
}

export interface FailureContext {
  /** `provider:name` */
  readonly model: string
  readonly now: number
  /** Whether this attempt offered tools through the tool interface. */
  readonly offersTools: boolean
  /** Whether this attempt asked for a stream. */
  readonly streams: boolean
  readonly sampling?: SamplingSettings | undefined
  /** Called when the endpoint has refused tools or streaming. */
  onUnsupported(feature: 'tools' | 'stream'): void
}

interface Refusal {
  readonly status: number
  /** The provider's message, as it is reported. */
  readonly message: string
  /** The message and the complete body. */
  readonly text: string
}

const createFailureFactory =
  ({ status, message }: Refusal, thrown: unknown, model: string) =>
  (hint?: string, blame?: Blame): AttemptFailure =>
    new AttemptFailure(
      new RemediumError('model-failed', `${model} rejected the request (${status}): ${message}`, {
        cause: thrown,
        hint,
        blame,
      }),
      'never',
    )

const toRefusal = (refusal: Refusal, thrown: unknown, context: FailureContext): AttemptFailure => {
  const { status, message, text } = refusal
  const createFailure = createFailureFactory(refusal, thrown, context.model)
  if (status === 401 || status === 403 || (status === 400 && BAD_KEY.test(text))) {
    const reason = `${context.model} does not accept the key (${status}): ${message}`
    return new AttemptFailure(new RemediumError('key-missing', reason, { cause: thrown }), 'never')
  }
  if (status === 402 || isCreditExhausted(text))
    return createFailure('Top up the account at the provider.', 'operator')
  if (isAnswerLimitTooLarge(message))
    return createFailure('Request shorter answers: --set AGENT.outputTokens=N.', 'operator')
  if (TOO_LONG.test(message))
    return createFailure(
      'The conversation exceeds the context of the model; reduce contextCharacters.',
      'agent',
    )
  const setting = findNamedSetting(message, context.sampling)
  if (setting !== undefined)
    return createFailure(`Omit ${setting}, or choose another value or model.`, 'operator')
  for (const [feature, isUsed, pattern] of [
    ['tools', context.offersTools, NO_TOOLS],
    ['stream', context.streams, NO_STREAM],
  ] as const) {
    if (!isUsed || !pattern.test(message)) continue
    context.onUnsupported(feature)
    return new AttemptFailure(createFailure().error, 'at-once')
  }
  return status === 404 || (status === 400 && NO_MODEL.test(text))
    ? createFailure('Check the name of the model and --base-url.', 'operator')
    : createFailure()
}

const isTemporary = (status: number): boolean =>
  [408, 409, 425].includes(status) || (status >= 500 && status !== 501)

/** `thrown` must not be the caller's own abort. */
export const toFailure = (thrown: unknown, context: FailureContext): AttemptFailure => {
  if (thrown instanceof AttemptFailure) return thrown
  if (thrown instanceof BrokenStreamError) {
    const { error, retry, retryAfterMs } = toFailure(thrown.cause, context)
    return new AttemptFailure(error, retry, { retryAfterMs, usage: thrown.usage, costUsd: thrown.costUsd })
  }
  if (thrown instanceof RemediumError) return new AttemptFailure(thrown, 'never')
  const details = (
    typeof thrown === 'object' && thrown !== null ? thrown : { message: String(thrown) }
  ) as Thrown
  const message = messageOf(details)
  const status = statusOf(details)
  const retryLater = (description: string): AttemptFailure =>
    new AttemptFailure(
      new RemediumError('model-failed', `${context.model} ${description}: ${message}`, { cause: thrown }),
      'wait',
      {
        retryAfterMs:
          readRetryAfter(details.responseHeaders, context.now) ?? readRetryDelay(details.responseBody),
        ...usageOf(details),
      },
    )
  if (status === undefined) {
    if (MALFORMED.test(details.name ?? '')) return retryLater('sent an unreadable answer')
    return retryLater(details.name === 'AI_APICallError' ? 'cannot be reached' : 'interrupted its answer')
  }
  if (status < 400) return retryLater('sent an unreadable answer')
  const text = `${message} ${details.responseBody ?? ''}`
  if (status === 429 && !isCreditExhausted(text)) return retryLater('limits the request rate (429)')
  if (isTemporary(status)) return retryLater(`failed (${status})`)
  return toRefusal({ status, message, text }, thrown, context)
}
