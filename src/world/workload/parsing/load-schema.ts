/** The schema of a load profile. */
import { z } from 'zod'
import type { LoadProfile } from '#spec'

const rate = z.number().min(0).max(100_000)
/** For patterns that would have no arrivals at a rate of 0. */
const positiveRate = z.number().positive().max(100_000)
/** At least 1 ms: shorter pieces would keep the generator busy without arrivals. */
const durationMs = z.number().min(1)

const arrivals = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('constant'), rate: positiveRate }),
  z.strictObject({ kind: z.literal('poisson'), rate: positiveRate }),
  z.strictObject({
    kind: z.literal('bursty'),
    rate,
    burstRate: positiveRate,
    burstMs: durationMs,
    calmMs: durationMs,
  }),
  z
    .strictObject({ kind: z.literal('daily'), low: rate, high: positiveRate, dayMs: durationMs })
    .refine(({ low, high }) => low <= high, { path: ['low'], error: 'must be no greater than "high"' }),
  z.strictObject({ kind: z.literal('ramp'), from: rate, to: positiveRate, overMs: durationMs }),
  z.strictObject({
    kind: z.literal('spike'),
    rate,
    spikeRate: positiveRate,
    atMs: z.number().min(0),
    forMs: durationMs,
  }),
  z.strictObject({ kind: z.literal('replay'), file: z.string().min(1), repeat: z.boolean().optional() }),
])

const thinkMs = z
  .strictObject({ min: z.number().min(0), max: z.number().min(0) })
  .refine(({ min, max }) => min <= max, { error: 'must have "min" no greater than "max"' })

export const loadSchema: z.ZodType<LoadProfile> = z.discriminatedUnion('loop', [
  z.strictObject({
    loop: z.literal('closed'),
    users: z.int().min(1).max(100_000),
    thinkMs,
    startOverMs: z.number().min(0).optional(),
  }),
  z.strictObject({
    loop: z.literal('open'),
    arrivals,
    maxConcurrent: z.int().min(1).optional(),
    connections: z.int().min(1).max(100_000).optional(),
    users: z.int().min(1).max(100_000).optional(),
  }),
]) as z.ZodType<LoadProfile>
