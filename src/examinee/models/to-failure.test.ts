/** Tests how the refusals of an endpoint are classified. */
import { expect, test } from 'vitest'
import { openScripted, QUESTION } from '#examinee/models/testing'

test.each([
  [{ status: 401, message: 'wrong key' }, 'key-missing', 'operator', /wrong key/],
  [{ status: 400, message: 'bad temperature' }, 'model-failed', 'provider', /\(400\): bad temperature/],
  [{ status: 404, message: 'no such model' }, 'model-failed', 'operator', /no such model/],
  [
    { status: 429, message: 'pay first', code: 'insufficient_quota' },
    'model-failed',
    'operator',
    /pay first/,
  ],
  [{ status: 429, message: 'You exceeded your current quota' }, 'model-failed', 'operator', /quota/],
  [{ status: 400, message: 'API key not valid. Pass a valid one.' }, 'key-missing', 'operator', /not valid/],
  [{ status: 400, message: 'a/b is not a valid model ID' }, 'model-failed', 'operator', /model ID/],
  [{ status: 400, message: 'maximum context length is 8192 tokens' }, 'model-failed', 'agent', /8192/],
  [
    { status: 400, message: 'max_tokens is too large: 8000. The maximum context length is 8192 tokens' },
    'model-failed',
    'operator',
    /8000/,
  ],
  [
    { status: 400, message: 'max_tokens is too large: 5000. The maximum context length is 8192 tokens' },
    'model-failed',
    'agent',
    /5000/,
  ],
] as const)('does not retry after %o', async (answer, code, blame, message) => {
  const { server, model } = await openScripted([answer])
  const pending = model.ask(QUESTION)
  await expect(pending).rejects.toMatchObject({ code, blame, message: expect.stringMatching(message) })
  expect(server.requests).toHaveLength(1)
})

test.each([
  'You exceeded your current quota, check your plan and billing details. Quota: RequestsPerMinute',
  'Rate limit reached. Please try again in 20s. Visit the page on billing to add a payment method.',
])('retries after a temporary limit, even if its message mentions billing: %s', async (message) => {
  const { model } = await openScripted([{ status: 429, message }, { text: 'back' }])
  expect(await model.ask(QUESTION)).toMatchObject({ text: 'back', tries: 2 })
})
