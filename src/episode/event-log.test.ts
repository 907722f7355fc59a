/** Records while they are made. */
import { describe, expect, it } from 'vitest'
import { RemediumError } from '../spec/index.ts'
import { createSystemView } from '../system-view/index.ts'
import type { EpisodeTime } from './episode-time.ts'
import { createEventLog } from './event-log.ts'
import { createFakeLab, toWalk } from './testing/fake-lab.ts'

const system = createSystemView(createFakeLab().core.system)

const createLog = () => {
  let [precise, wall] = [1000, 5000]
  const time = { precise: () => precise, wall: () => wall } as EpisodeTime
  const kept: unknown[] = []
  const log = createEventLog({
    system,
    faults: new Map(),
    time,
    zero: 1000,
    sink: (event) => kept.push(event),
  })
  const pass = (ms: number, byTheWall = ms): void => {
    precise += ms
    wall += byTheWall
  }
  return { log, pass, kept }
}

describe('a record', () => {
  it('stamps events with the time since it began, and hands them on', () => {
    const { log, pass, kept } = createLog()
    pass(250)
    log.add({ type: 'solver-began' })
    expect(log.events).toEqual([{ at: 250, type: 'solver-began' }])
    expect(kept).toEqual(log.events)
  })

  it('notes when walks ended, and which are under way until none is', () => {
    const { log } = createLog()
    log.addWalks([toWalk({ intended: 1100, latencyMs: 20.04 })], [['greet', 1110]])
    log.addWalks([], [])
    log.addWalks([], [])
    expect(log.events).toMatchObject([
      { type: 'walks', walks: [['greet', 120, 20]], pending: [['greet', 110]] },
      { type: 'walks', walks: [], pending: [] },
    ])
    expect(log.events).toHaveLength(2)
  })

  it.each([1500, -1500])('ends when the clock of the machine is set by %i ms', (jump) => {
    const { log, pass } = createLog()
    pass(100, 100 + jump)
    expect(() => log.add({ type: 'solver-began' })).toThrow(
      expect.objectContaining({ code: 'clock-jumped', blame: 'harness' }),
    )
  })

  it('that lost an event is lost for good, whoever was told first', () => {
    const kept: unknown[] = []
    let isFull = false
    const log = createEventLog({
      system,
      faults: new Map(),
      time: { precise: () => 1, wall: () => 1 } as EpisodeTime,
      zero: 0,
      sink(event) {
        if (isFull) throw new RemediumError('record-lost', 'The disk is full.')
        kept.push(event.type)
      },
    })
    log.add({ type: 'solver-began' })
    isFull = true
    expect(() => log.add({ type: 'answers-given', answers: {} })).toThrow('The disk is full.')
    isFull = false
    expect(() => log.add({ type: 'solver-ended', outcome: 'submitted' })).toThrow('The disk is full.')
    expect(kept).toEqual(['solver-began'])
  })

  it('notices that the clock was set between the preparation and the attempt', () => {
    const time = { precise: () => 2000, wall: () => 9000 } as EpisodeTime
    const log = createEventLog({ system, faults: new Map(), time, zero: 1000, drift: 4000 })
    expect(() => log.add({ type: 'solver-began' })).toThrow('set by 3000 ms')
  })

  it('bears a clock that drifts', () => {
    const { log, pass } = createLog()
    pass(60_000, 60_400)
    expect(() => log.add({ type: 'solver-began' })).not.toThrow()
  })
})
