/** The form of a load profile. */
import { z } from 'zod'
import type { LoadProfile } from '../spec/index.ts'

const rate = z.number().min(0).max(100_000)
/** Of patterns that would otherwise never send anything. */
const livelyRate = z.number().positive().max(100_000)
/** Shorter ones would only keep the generator busy. */
const span = z.number().min(1)

const arrivals = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('constant'), rate: livelyRate }),
  z.strictObject({ kind: z.literal('poisson'), rate: livelyRate }),
  z.strictObject({
    kind: z.literal('bursty'),
    rate,
    burstRate: livelyRate,
    burstMs: span,
    calmMs: span,
  }),
  z
    .strictObject({ kind: z.literal('daily'), low: rate, high: livelyRate, dayMs: span })
    .refine(({ low, high }) => low <= high, { path: ['low'], error: 'must be no greater than "high"' }),
  z.strictObject({ kind: z.literal('ramp'), from: rate, to: livelyRate, overMs: span }),
  z.strictObject({
    kind: z.literal('spike'),
    rate,
    spikeRate: livelyRate,
    atMs: z.number().min(0),
    forMs: span,
  }),
  z.strictObject({ kind: z.literal('replay'), file: z.string().min(1), repeat: z.boolean().optional() }),
])

const thinkMs = z
  .strictObject({ least: z.number().min(0), most: z.number().min(0) })
  .refine(({ least, most }) => least <= most, { error: 'must have "least" no greater than "most"' })

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
    most: z.int().min(1).optional(),
    connections: z.int().min(1).max(100_000).optional(),
    users: z.int().min(1).max(100_000).optional(),
  }),
]) as z.ZodType<LoadProfile>
