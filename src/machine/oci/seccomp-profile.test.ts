/** Tests which system calls the profiles refuse. */
import { describe, expect, it } from 'vitest'
import type { OciSeccomp } from './oci-spec.ts'
import { seccompProfile, strictSeccompProfile } from './seccomp-profile.ts'

/** The calls that a profile refuses regardless of their arguments. */
const refusedCalls = ({ syscalls }: OciSeccomp): readonly string[] =>
  syscalls
    .filter(({ action, args = [] }) => action === 'SCMP_ACT_ERRNO' && args.length === 0)
    .flatMap(({ names }) => names)

const INSPECTION = ['ptrace', 'process_vm_readv', 'process_vm_writev', 'process_madvise', 'pidfd_getfd']

describe.each([
  ['containers', seccompProfile],
  ['untrusted programs', strictSeccompProfile],
])('the profile of %s', (_, profile) => {
  it.each([...INSPECTION, 'mount', 'bpf', 'setns'])('refuses %s', (call) => {
    expect(refusedCalls(profile)).toContain(call)
  })

  it.each(['execve', 'kill', 'prctl', 'sched_setaffinity', 'openat'])('permits %s', (call) => {
    expect(profile.syscalls.flatMap(({ names }) => names)).not.toContain(call)
    expect(profile.defaultAction).toBe('SCMP_ACT_ALLOW')
  })
})
