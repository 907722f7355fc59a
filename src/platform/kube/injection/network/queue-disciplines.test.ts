/** Tests ranges of peers and the text of queueing disciplines; create-network-faults.test.ts applies them to pods. */
import { describe, expect, it } from 'vitest'
import { isWithin, parsePeer } from '#platform/kube/packets'
import { toNetem, toTokenBucket, toTree } from './queue-disciplines.ts'

describe('a range of peers', () => {
  it('contains the addresses of its prefix', () => {
    const range = parsePeer('10.244.0.0/16')
    expect(range.contains(0x0af40007)).toBe(true)
    expect(range.contains(0x0af50007)).toBe(false)
    expect(parsePeer('0.0.0.0/0').contains(0xffffffff)).toBe(true)
    expect(parsePeer('10.244.0.7').text).toBe('10.244.0.7/32')
    expect(isWithin(parsePeer('10.244.0.7'), range)).toBe(true)
    expect(isWithin(range, parsePeer('10.244.0.7'))).toBe(false)
  })

  it.each(['fd00::1/128', '10.244.0.300/32', '10.0.0.0/33', 'web'])('cannot be %s', (text) => {
    expect(() => parsePeer(text)).toThrow(`not ${text}`)
  })
})

describe('the tree of disciplines', () => {
  it('nests disciplines for all peers', () => {
    expect(
      toTree([
        { id: '1', disciplines: ['tbf one'] },
        { id: '2', disciplines: ['netem two', 'tbf two'] },
      ]),
    ).toEqual([
      'qdisc add dev eth0 root handle 1: tbf one',
      'qdisc add dev eth0 parent 1:1 handle 2: netem two',
      'qdisc add dev eth0 parent 2:1 handle 3: tbf two',
    ])
  })

  it('has a class for peers with the same faults, and matches longer prefixes first', () => {
    expect(
      toTree([
        { id: '1', peers: ['10.244.0.0/16'], disciplines: ['tbf one'] },
        { id: '2', peers: ['10.244.0.7/32', '10.244.0.8/32'], disciplines: ['tbf two'] },
      ]),
    ).toEqual([
      'qdisc add dev eth0 root handle 1: htb default 0',
      'class add dev eth0 parent 1: classid 1:1 htb rate 100gbit quantum 60000',
      'qdisc add dev eth0 parent 1:1 handle 2: tbf one',
      'filter add dev eth0 parent 1: protocol ip prio 17 u32 match ip dst 10.244.0.0/16 flowid 1:1',
      'class add dev eth0 parent 1: classid 1:2 htb rate 100gbit quantum 60000',
      'qdisc add dev eth0 parent 1:2 handle 3: tbf one',
      'qdisc add dev eth0 parent 3:1 handle 4: tbf two',
      'filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip dst 10.244.0.7/32 flowid 1:2',
      'filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip dst 10.244.0.8/32 flowid 1:2',
    ])
  })
})

describe('disciplines', () => {
  it('have token buckets of at least one packet', () => {
    expect(toTokenBucket({ rate: 1_000_000, limit: 20_971_520, buffer: 10_000 })).toBe(
      'tbf rate 1000000bit burst 10000 limit 20971520',
    )
    expect(toTokenBucket({ rate: 1000, limit: 1, buffer: 1, peakrate: 2000, minburst: 1 })).toBe(
      'tbf rate 1000bit burst 1600 limit 1600 peakrate 2000bit minburst 1600',
    )
  })

  it('are written in the syntax of netem', () => {
    expect(
      toNetem({
        delay: { latencyMs: 100, jitterMs: 10, correlation: 25 },
        reorder: { percent: 5, correlation: 50, gap: 3 },
        loss: { percent: 1.5, correlation: 0 },
        corrupt: { percent: 4, correlation: 5 },
      }),
    ).toBe('netem limit 32768 delay 100ms 10ms 25% reorder 5% 50% gap 3 loss 1.5% 0% corrupt 4% 5%')
    expect(
      toNetem({
        delay: { latencyMs: 0, jitterMs: 10, correlation: 0 },
        reorder: { percent: 5, correlation: 50, gap: 3 },
      }),
    ).toBe('netem limit 32768 delay 0ms 10ms 0%')
    expect(toNetem({ loss: { percent: 10, correlation: 0 } })).toBe('netem limit 32768 loss 10% 0%')
  })
})
