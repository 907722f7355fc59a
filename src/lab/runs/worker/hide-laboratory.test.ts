/** Tests which folders of the laboratory are hidden from external programs. */
import { afterEach, expect, it, vi } from 'vitest'
import { hideLaboratory } from './hide-laboratory.ts'

afterEach(() => void vi.unstubAllEnvs())

it('hides the state folder, and the run folder with its sibling runs', () => {
  vi.stubEnv('REMEDIUM_STATE', '/srv/state')
  const options = { program: 'cat', hidden: '/a:/b' }
  expect(hideLaboratory('/home/me/runs/one/records/x.jsonl', options)).toEqual({
    program: 'cat',
    hidden: ['/a', '/b', '/home/me/runs', '/srv/state'],
  })
  expect(hideLaboratory('/home/me/out/records/x.jsonl', {})).toEqual({
    hidden: ['/home/me/out', '/srv/state'],
  })
})
