import numpy as np

i = np.arange(3.0)
A = np.column_stack([i + 1, i * i])
U, S, Vt = np.linalg.svd(A, full_matrices=False)
print(f"{S[0]:.6f} {S[1]:.6f}")
