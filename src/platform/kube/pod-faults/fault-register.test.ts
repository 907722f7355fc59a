/** Tests the fault register with fake kinds of faults. */
import { describe, expect, it } from 'vitest'
import { createRealClock } from '#kit'
import type {
  AppliedFault,
  Outcome,
  PodFault,
  PodProcesses,
  PodProcessView,
  Reply,
} from '#platform/kube/ports'
import { createFaultRegister, type FaultKinds } from './fault-register.ts'

const view: PodProcessView = {
  uid: 'u1',
  ip: '10.244.0.2',
  nodeName: 'node',
  networkNamespacePath: '/proc/1/ns/net',
  containers: [{ name: 'web', id: 'containerd://1', pid: 1, cgroup: 'c' }],
}
const target = { namespace: 'shop', pod: 'web-1', uid: 'u1' }
const cut: PodFault = { type: 'network', target, cut: 'both' }
const shifted: PodFault = {
  type: 'time',
  target: { ...target, container: 'web' },
  offsetMs: 5,
  clocks: ['CLOCK_REALTIME'],
}

const setUp = ({ apply = async () => {}, undo = async () => {} } = {}) => {
  const calls: string[] = []
  const listeners = new Set<(uid: string) => void>()
  const processes: PodProcesses = {
    find: (uid) => (uid === 'u1' ? view : undefined),
    onRemoval(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const recordCalls = async (fault: PodFault): Promise<() => Promise<void>> => {
    calls.push(`apply ${fault.type}`)
    await apply()
    return async () => {
      calls.push(`undo ${fault.type}`)
      await undo()
    }
  }
  const kinds: FaultKinds<PodProcessView> = {
    network: recordCalls,
    stress: recordCalls,
    io: recordCalls,
    time: recordCalls,
    dns: recordCalls,
    kill: recordCalls,
  }
  const register = createFaultRegister({
    pods: processes,
    kinds,
    clock: createRealClock(),
    forget: (uid) => calls.push(`forget ${uid}`),
  })
  return {
    calls,
    register,
    listeners,
    removePod: (uid: string) => {
      for (const listener of listeners) listener(uid)
    },
  }
}

const getOutcome = <T>(start: (reply: Reply<T>) => void): Promise<Outcome<T>> => new Promise(start)
const applyFault = async (
  register: { apply(fault: PodFault, reply: Reply<AppliedFault>): void },
  fault: PodFault,
) => {
  const result = await getOutcome<AppliedFault>((reply) => register.apply(fault, reply))
  if (!result.ok) throw result.error
  return result.value
}

describe('the fault register', () => {
  it('applies a fault by its kind and undoes it once', async () => {
    const { calls, register } = setUp()
    const fault = await applyFault(register, shifted)
    expect(calls).toEqual(['apply time'])
    expect(await getOutcome<void>((reply) => fault.recover(reply))).toEqual({ ok: true, value: undefined })
    expect(await getOutcome<void>((reply) => fault.recover(reply))).toEqual({ ok: true, value: undefined })
    expect(calls).toEqual(['apply time', 'undo time'])
  })

  it('always replies asynchronously', async () => {
    const { register } = setUp()
    let replies = 0
    register.apply({ ...cut, target: { ...target, uid: 'unknown' } }, () => {
      replies += 1
    })
    expect(replies).toBe(0)
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(replies).toBe(1)
  })

  it('names the pod or container that is not running', async () => {
    const { register, calls } = setUp()
    await expect(applyFault(register, { ...cut, target: { ...target, uid: 'u2' } })).rejects.toThrow(
      'pod shop/web-1 is not running on this machine',
    )
    await expect(
      applyFault(register, { ...shifted, target: { ...target, container: 'db' } } as PodFault),
    ).rejects.toThrow('container db of pod shop/web-1 is not running')
    expect(calls).toEqual([])
  })

  it('reports errors when a fault is applied or undone', async () => {
    const broken = setUp({ apply: () => Promise.reject(new Error('no way')) })
    await expect(applyFault(broken.register, cut)).rejects.toThrow('no way')
    await broken.register.close()
    const stuck = setUp({ undo: () => Promise.reject(new Error('stuck')) })
    const fault = await applyFault(stuck.register, cut)
    expect(await getOutcome<void>((reply) => fault.recover(reply))).toMatchObject({
      ok: false,
      error: { message: 'stuck' },
    })
  })

  it('retries a failed undo on the next call and on close', async () => {
    let failures = 2
    const { calls, register } = setUp({
      async undo() {
        failures -= 1
        if (failures >= 0) throw new Error('not now')
      },
    })
    const fault = await applyFault(register, cut)
    const recover = () => getOutcome<void>((reply) => fault.recover(reply))
    expect(await recover()).toMatchObject({ ok: false, error: { message: 'not now' } })
    expect(await recover()).toMatchObject({ ok: false })
    await register.close()
    expect(await recover()).toMatchObject({ ok: true })
    expect(calls).toEqual(['apply network', 'undo network', 'undo network', 'undo network'])
  })

  it('resolves every call of close only after all faults are recovered', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { register } = setUp({ undo: () => promise })
    await applyFault(register, cut)
    const closed: string[] = []
    const closes = ['first', 'second'].map((name) => register.close().then(() => closed.push(name)))
    await new Promise((done) => setTimeout(done, 10))
    expect(closed).toEqual([])
    resolve()
    await Promise.all(closes)
  })

  it('drops the faults of a removed pod and ignores their errors', async () => {
    const { calls, register, removePod } = setUp({ undo: () => Promise.reject(new Error('gone')) })
    const fault = await applyFault(register, cut)
    removePod('u2')
    removePod('u1')
    expect(calls).toEqual(['apply network', 'forget u2', 'forget u1'])
    expect(await getOutcome<void>((reply) => fault.recover(reply))).toEqual({ ok: true, value: undefined })
    expect(calls.filter((call) => call.startsWith('undo'))).toHaveLength(1)
    await register.close()
  })

  it('undoes a fault whose pod is removed while it is being applied', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { calls, register, removePod } = setUp({ apply: () => promise })
    const applying = applyFault(register, cut)
    removePod('u1')
    resolve()
    await expect(applying).rejects.toThrow('pod shop/web-1 was removed')
    expect(calls).toEqual(['apply network', 'forget u1', 'undo network'])
  })

  it('recovers all faults on close, including pending ones, and rejects new ones', async () => {
    const { calls, register, listeners } = setUp()
    await applyFault(register, cut)
    const pending = applyFault(register, shifted)
    await register.close()
    await pending
    expect(calls.toSorted()).toEqual(['apply network', 'apply time', 'undo network', 'undo time'])
    expect(listeners.size).toBe(0)
    await expect(applyFault(register, cut)).rejects.toThrow('closing')
  })
})
