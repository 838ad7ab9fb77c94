import { afterEach, describe, expect, it, vi } from 'vitest'
import { CommandError, outsideEnvironment, run } from './command.ts'

describe('programs of the host', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it('are found in the places of the administrator, too', async () => {
    vi.stubEnv('PATH', '/usr/bin:/bin')
    expect(await run('sh', ['-c', 'echo "$PATH"'])).toBe('/usr/bin:/bin:/usr/sbin:/sbin\n')
  })

  it('never see our settings, which may hold passwords', async () => {
    vi.stubEnv('SLIPWAY_SMTP_URL', 'smtps://user:secret@mail.test')
    vi.stubEnv('DATABASE_URL', 'postgres://user:secret@db.test')
    expect(JSON.stringify(outsideEnvironment())).not.toContain('secret')
    expect(await run('env', [])).not.toContain('secret')
  })

  it('tell why they failed', async () => {
    await expect(run('sh', ['-c', 'echo first >&2; echo last words >&2; exit 3'])).rejects.toMatchObject({
      message: 'last words',
      status: 3,
    })
    await expect(run('no-such-program', [])).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(run('sh', ['-c', 'echo "cp: No space left on device" >&2; exit 1'])).rejects.toMatchObject({
      code: 'ENOSPC',
    })
    await expect(run('sleep', ['10'], { timeoutMs: 20 })).rejects.toBeInstanceOf(CommandError)
  })

  it('are ended when they print more than is wanted', async () => {
    await expect(run('yes', [], { maxOutputBytes: 100_000 })).rejects.toMatchObject({ code: 'ENOBUFS' })
  })

  it('that cannot be started because no descriptor is left fail, and end nothing else', async () => {
    const script = `
      import { openSync } from 'node:fs'
      import { run } from '${import.meta.dirname}/command.ts'
      const all = []
      try { for (;;) all.push(openSync('/dev/null')) } catch {}
      const error = await run('true', []).catch((error) => error)
      console.log(error.code)`
    const limited = ['--nofile=40', process.execPath, '--input-type=module', '--eval', script]
    expect(await run('prlimit', limited)).toBe('EMFILE\n')
  })

  it('are gone when their work is called off', async () => {
    const work = new AbortController()
    let pid = 0
    const running = run('sleep', ['10'], {
      signal: work.signal,
      attend(child) {
        pid = child.pid ?? 0
        work.abort()
      },
    })
    await expect(running).rejects.toMatchObject({ code: 'ABORT_ERR' })
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    await expect(run('sleep', ['10'], { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORT_ERR',
    })
  })

  it('cannot end us by a signal to all of their group when that is their own', async () => {
    const script = `
      import { run } from '${import.meta.dirname}/command.ts'
      const error = await run('sh', ['-c', 'kill -HUP 0; sleep 5'], { ownGroup: true }).catch((error) => error)
      console.log(error.message)`
    // This test is not of the group either.
    const apart = ['--wait', process.execPath, '--input-type=module', '--eval', script]
    expect(await run('setsid', apart)).toBe('sh ended with SIGHUP\n')
  })
})
