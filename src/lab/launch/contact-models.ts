/** Sends one short request to each model of a run, so that an endpoint that does not answer is reported before clusters start. */
import { openModel, REPLAY } from '#examinee/models'
import { defined } from '#kit'
import { modelOptionsOf } from '#lab/runs'
import type { Contender, RunSettings } from '#spec'

/** This request is not recorded and does not count in any episode. */
export const CONTACT_REQUEST = 'This is a connection test. Reply with OK.'
const LIMITS = { tries: 2, timeoutMs: 60_000, totalMs: 120_000 }

/** Rejects with the error of the first model that does not answer. */
export const contactModels = async (
  contenders: readonly Contender[],
  settings: RunSettings,
  signal: AbortSignal,
): Promise<void> => {
  const { record: _, ...options } = modelOptionsOf(settings)
  const { sampling } = settings
  const env = { ...process.env, REMEDIUM_RECORD: undefined }
  const names = new Set(contenders.flatMap(({ models }) => Object.values(models)))
  for (const name of names) {
    if (name.startsWith(`${REPLAY}:`)) continue
    const model = openModel(name, { ...options, ...LIMITS, env })
    await model.ask({
      messages: [{ role: 'user', content: CONTACT_REQUEST }],
      ...defined({ sampling }),
      signal,
    })
  }
}
