/** The time range of a telemetry query: a period that ends at the newest signal. */
import { z } from 'zod'
import type { TimeRange } from '#spec'
import { type ActionContext, ActionRefusal } from './define-action.ts'

const DEFAULT_SECONDS = 120

/** The input field that most telemetry actions share. */
export const sinceSeconds = z.coerce
  .number()
  .positive()
  .max(86_400)
  .optional()
  .describe(`The length in seconds of the queried period, which ends now. Default: ${DEFAULT_SECONDS}.`)

export const toTimeRange = async (
  { telemetry }: Pick<ActionContext, 'telemetry'>,
  seconds = DEFAULT_SECONDS,
): Promise<TimeRange> => {
  const extent = await telemetry.extent()
  if (extent === undefined)
    throw new ActionRefusal('No telemetry is available yet. Retry in a few seconds, or use get_objects.')
  return { from: Math.max(extent.from, extent.to - seconds * 1000), to: extent.to }
}

const toTimeOfDay = (time: number): string => new Date(time).toISOString().slice(11, 19)

/** Returns `15:03:53 to 15:04:05 UTC (12 s)`. */
export const describeRange = ({ from, to }: TimeRange): string =>
  `${toTimeOfDay(from)} to ${toTimeOfDay(to)} UTC (${Math.round((to - from) / 1000)} s)`
