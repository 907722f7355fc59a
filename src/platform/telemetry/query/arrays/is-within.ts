/** Tests whether a time lies in a range; without a range, every time does. */
import type { TimeRange } from '#spec'

export const isWithin = (time: number, range: TimeRange | undefined): boolean =>
  range === undefined || (time >= range.from && time < range.to)
