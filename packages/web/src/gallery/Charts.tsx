import { useState } from 'react'
import { Chart } from '../ui/Chart.tsx'
import { Part } from './Part.tsx'

export function Charts() {
  const [now] = useState(() => Math.floor(Date.now() / 1000))
  const times = Array.from({ length: 60 }, (_, i) => now - (59 - i) * 30)
  const wanted = times.map((_, i) => (i < 20 ? 1 : i < 48 ? 3 : 4))
  const chart = { times, formatTime: (ms: number) => new Date(ms).toLocaleTimeString(), syncKey: 'gallery' }
  return (
    <Part title="Charts">
      <div className="sheet grid grid-cols-[minmax(0,1fr)] lg:grid-cols-2 lg:divide-x lg:divide-line">
        <Chart
          {...chart}
          title="Size"
          lines={[
            { label: 'Desired', values: wanted, look: 'wanted', stepped: true },
            { label: 'Current', values: [1, 1, ...wanted.slice(0, -2)], look: 'live', stepped: true },
          ]}
          limits={[
            { label: 'max 6', value: 6 },
            { label: 'min 1', value: 1 },
          ]}
          ticks={[0, 2, 4, 6]}
          format={String}
          summary="Size from 1 to 4, now 4."
        />
        <Chart
          {...chart}
          title="CPU load"
          lines={[
            {
              label: 'CPU load',
              values: times.map((_, i) => (i > 30 && i < 36 ? null : 50 + 40 * Math.sin(i / 9))),
              look: 'live',
            },
          ]}
          limits={[{ label: 'add above 75%', value: 75 }]}
          ticks={[0, 50, 100]}
          format={(value) => `${Math.round(value)}%`}
          summary="CPU load from 10% to 90%, now 61%."
        />
      </div>
    </Part>
  )
}
