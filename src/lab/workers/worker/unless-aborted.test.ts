/** Tests that work ends with the signal, and that a signal that is never aborted keeps nothing. */
import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { unlessAborted } from './unless-aborted.ts'

it('settles as the work does, and leaves no listener', async () => {
  const { signal } = new AbortController()
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1)
  await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('rejects when the signal is or becomes aborted', async () => {
  const controller = new AbortController()
  const waiting = unlessAborted(new Promise(() => {}), controller.signal)
  controller.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'interrupted' })
  await expect(unlessAborted(new Promise(() => {}), controller.signal)).rejects.toThrow('stopped')
})
