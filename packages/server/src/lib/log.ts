import { pino } from 'pino'

export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'>

/** JSON lines on standard error, so that standard output stays readable; secrets never get in. */
export function makeLog(level: string): pino.Logger {
  return pino(
    {
      level,
      redact: [
        'req.headers.cookie',
        'req.headers.authorization',
        'res.headers["set-cookie"]',
        '*.password',
        '*.token',
      ],
    },
    pino.destination(2),
  )
}

export const silentLog: Log = pino({ level: 'silent' })
