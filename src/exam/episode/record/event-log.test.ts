/** Tests records while they are written. */
import { describe, expect, it } from 'vitest'
import { RemediumError } from '#spec'
import { createSystemView } from '#world/system-view'
import type { EpisodeTime } from '../laboratory/episode-time.ts'
import { createFakeLab, toJourneyRun } from '../testing/fake-lab.ts'
import { createEventLog } from './event-log.ts'

const system = createSystemView(createFakeLab().equipment.system)

const createLog = () => {
  let [precise, wall] = [1000, 5000]
  const time = { precise: () => precise, wall: () => wall } as EpisodeTime
  const sinkEvents: unknown[] = []
  const log = createEventLog({
    system,
    faults: new Map(),
    time,
    zero: 1000,
    sink: (event) => sinkEvents.push(event),
  })
  const advance = (ms: number, wallMs = ms): void => {
    precise += ms
    wall += wallMs
  }
  return { log, advance, sinkEvents }
}

describe('a record', () => {
  it('stamps events with the time since its start, and passes them to the sink', () => {
    const { log, advance, sinkEvents } = createLog()
    advance(250)
    log.add({ type: 'solver-started' })
    expect(log.events).toEqual([{ at: 250, type: 'solver-started' }])
    expect(sinkEvents).toEqual(log.events)
  })

  it('records when journey runs ended, and which are pending, until none are', () => {
    const { log } = createLog()
    log.addJourneyRuns([toJourneyRun({ intended: 1100, latencyMs: 20.04 })], [['greet', 1110]])
    log.addJourneyRuns([], [])
    log.addJourneyRuns([], [])
    expect(log.events).toMatchObject([
      { type: 'journeys-run', runs: [['greet', 120, 20]], pending: [['greet', 110]] },
      { type: 'journeys-run', runs: [], pending: [] },
    ])
    expect(log.events).toHaveLength(2)
  })

  it.each([1500, -1500])('throws if the clock of the machine jumps by %i ms', (jump) => {
    const { log, advance } = createLog()
    advance(100, 100 + jump)
    expect(() => log.add({ type: 'solver-started' })).toThrow(
      expect.objectContaining({ code: 'clock-jumped', blame: 'harness' }),
    )
  })

  it('rejects all events after one that could not be kept', () => {
    const sinkEvents: unknown[] = []
    let isFull = false
    const log = createEventLog({
      system,
      faults: new Map(),
      time: { precise: () => 1, wall: () => 1 } as EpisodeTime,
      zero: 0,
      sink(event) {
        if (isFull) throw new RemediumError('record-lost', 'The disk is full.')
        sinkEvents.push(event.type)
      },
    })
    log.add({ type: 'solver-started' })
    isFull = true
    expect(() => log.add({ type: 'answers-given', answers: {} })).toThrow('The disk is full.')
    isFull = false
    expect(() => log.add({ type: 'solver-ended', outcome: 'submitted' })).toThrow('The disk is full.')
    expect(sinkEvents).toEqual(['solver-started'])
  })

  it('detects that the clock jumped between the preparation and the attempt', () => {
    const time = { precise: () => 2000, wall: () => 9000 } as EpisodeTime
    const log = createEventLog({ system, faults: new Map(), time, zero: 1000, drift: 4000 })
    expect(() => log.add({ type: 'solver-started' })).toThrow('jumped by 3000 ms')
  })

  it('tolerates a clock that drifts', () => {
    const { log, advance } = createLog()
    advance(60_000, 60_400)
    expect(() => log.add({ type: 'solver-started' })).not.toThrow()
  })
})
