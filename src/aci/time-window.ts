/** The time that a question is about: so long until the last signal there is. */
import { z } from 'zod'
import type { TimeRange } from '../spec/index.ts'
import { type ActionContext, ActionRefusal } from './define-action.ts'

const DEFAULT_SECONDS = 120

/** A field that most questions have. */
export const sinceSeconds = z.coerce
  .number()
  .positive()
  .max(86_400)
  .optional()
  .describe(`How many seconds to look back from now; ${DEFAULT_SECONDS} where absent.`)

export const windowOf = async (
  { telemetry }: Pick<ActionContext, 'telemetry'>,
  seconds = DEFAULT_SECONDS,
): Promise<TimeRange> => {
  const extent = await telemetry.extent()
  if (extent === undefined)
    throw new ActionRefusal('There is no telemetry yet. Ask again in a few seconds, or use get_objects.')
  return { from: Math.max(extent.from, extent.to - seconds * 1000), to: extent.to }
}

/** `12 s until 15:04:05.123`. */
export const describeRange = ({ from, to }: TimeRange): string =>
  `${Math.round((to - from) / 1000)} s until ${new Date(to).toISOString().slice(11, 19)} UTC`
