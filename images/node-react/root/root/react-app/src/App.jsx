import { useState } from 'react'

export function App() {
  const [count, setCount] = useState(0)
  return (
    <main>
      <h1>Hello from React</h1>
      <p>Edit src/App.jsx, and this page changes as you save.</p>
      <button type="button" onClick={() => setCount(count + 1)}>
        Clicked {count} times
      </button>
    </main>
  )
}
