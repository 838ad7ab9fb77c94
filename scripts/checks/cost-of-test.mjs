// A set-up file of vitest: notes with each test how many seconds of a processor it took, all its tries together.
import { afterEach, beforeEach } from 'vitest'
import { secondsOfProcess } from '../setup/processor.mjs'

let begun = 0

beforeEach(() => {
  begun = secondsOfProcess()
})

afterEach(({ task }) => {
  task.meta.processor = (task.meta.processor ?? 0) + secondsOfProcess() - begun
})
